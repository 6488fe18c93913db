#!/usr/bin/python3
"""The live server creator: creator_test.py STACK_FOLDER TOOLS_FOLDER. Needs the data of the HTTP cases."""

import os
import re
import sys
import time
import urllib.parse
import zipfile

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import browser, set_width
import checks
from pages_test import run
from stack import Stack
from troubled_proxy import troubled

WAIT = 30  # seconds
# While a part of the page is drawn anew.
PASSING = (NoSuchElementException, StaleElementReferenceException)


class Creator:
    """The page as somebody uses it."""

    def __init__(self, driver, stack):
        self.driver, self.stack = driver, stack

    def open(self, query="", origin=None):
        self.driver.get(f"{origin or self.stack.origin}/server{query}")
        self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, "html[data-live]"), "the page is not live")

    def until(self, condition, message):
        try:
            return WebDriverWait(self.driver, WAIT, ignored_exceptions=PASSING).until(lambda _: condition())
        except Exception as error:
            raise checks.Failure(f"{message}; the page says: {self.outcome()}") from error

    def outcome(self):
        return self.driver.find_element(By.ID, "result").text

    def box(self, slug):
        return self.driver.find_element(By.CSS_SELECTOR, f"#component-{slug} input[type=checkbox]")

    def says(self, text):
        self.until(lambda: text in self.outcome(), f"“{text}” is not shown")

    def press(self, label):
        for button in self.driver.find_elements(By.CSS_SELECTOR, "#outcome button, #outcome a.button"):
            if button.text == label:
                button.click()
                return
        raise checks.Failure(f"there is no button “{label}”: {self.outcome()}")

    def query(self):
        return urllib.parse.unquote(urllib.parse.urlsplit(self.driver.current_url).query)

    def announced(self):
        return self.driver.find_element(By.ID, "announcement").get_attribute("textContent")

    def build_hash(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".ready code[title]").get_attribute("title")


def every_control_names_its_component(creator):
    creator.open()
    script = """
      return [...document.querySelectorAll('.component')].flatMap((place) => {
        const name = place.querySelector('label bdi').textContent;
        return [...place.querySelectorAll('input, select, a')]
          .filter((each) => !`${each.getAttribute('aria-label') ?? ''} ${each.labels?.[0]?.textContent ?? ''} ${each.textContent}`
            .includes(name)).map((each) => each.outerHTML);
      });"""
    wrong = creator.driver.execute_script(script)
    checks.expect(not wrong, f"these do not name their component: {wrong}")


def choosing_is_resolved_and_in_the_address(creator):
    creator.open()
    creator.box("bot-company").click()
    creator.says("Bot Company")
    checks.expect("bot-company" in creator.query(), creator.query())
    plan = creator.stack.json(f"/v1/server-builder/resolve?{creator.query()}")
    checks.expect(creator.build_hash() == plan["build_hash"], "another build is shown than resolve gives")
    checks.expect("The selection works" in creator.announced(), f"announced: {creator.announced()}")


def back_undoes(creator):
    creator.open()
    creator.box("bot-company").click()
    creator.says("Bot Company")
    creator.driver.back()
    creator.until(lambda: not creator.box("bot-company").is_selected(), "the choice is still there")
    creator.until(lambda: "Bot Company" not in creator.outcome(), "the build is still the other one")
    checks.expect(creator.query() == "", creator.query())


def a_layer_has_one(creator):
    creator.open()
    creator.box("amber-platform-1-9").click()
    creator.until(lambda: not creator.box("amber-platform").is_selected(), "both are chosen")
    creator.says("Amber Platform 1.9")
    about = creator.driver.find_element(By.ID, "about-quarry-api").text
    checks.expect("Needs Amber Platform 1.9, 1.10 or Case Platform" in about, about)


def conflicts_are_explained_and_solved(creator):
    creator.open()
    creator.box("case-left").click()
    creator.says("case-left" if "case-left" in creator.outcome() else "Left")
    why = creator.driver.find_element(By.ID, "why-case-right").text
    checks.expect(why, "no reason is shown beside what conflicts")
    creator.box("case-right").click()
    creator.says("This does not fit together")
    checks.expect("problem" in creator.announced(), f"announced: {creator.announced()}")
    remove = next(each.text for each in creator.driver.find_elements(By.CSS_SELECTOR, ".problem a.button")
                  if each.text.startswith("Remove"))
    creator.press(remove)
    creator.says("Download the ZIP")


def several_missing_parts_are_one_box(creator):
    creator.open("?components=quarry-api,bot-company")
    creator.says("What is chosen needs more that is not chosen: ")
    boxes = creator.driver.find_elements(By.CSS_SELECTOR, ".problem")
    checks.expect(len(boxes) == 1, f"{len(boxes)} boxes")
    text = boxes[0].text
    for name in ("Amber Platform", "Forge Game Library", "Hearth Loader"):
        checks.expect(name in text, f"{name} is not named: {text}")
    checks.expect("forge-gamedll" not in text, f"slugs are named: {text}")
    # What is folded away has no text.
    shown = [each.text for each in boxes[0].find_elements(By.CSS_SELECTOR, "a.button") if each.text]
    checks.expect(shown == ["Add all"], f"shown: {shown}")
    boxes[0].find_element(By.TAG_NAME, "summary").click()
    creator.until(lambda: any(each.text.startswith("Add Hearth Loader")
                              for each in creator.driver.find_elements(By.CSS_SELECTOR, ".problem a.button")), "none can be added alone")
    creator.press("Add all")
    creator.says("Download the ZIP")
    creator.until(lambda: creator.box("hearth-loader").is_selected(), "the component was not added")


def missing_parts_are_added(creator):
    creator.open("?components=anvil-engine,forge-gamedll,hearth-loader,quarry-api")
    creator.says("This does not fit together")
    creator.press("Add Amber Platform 1.10")
    creator.says("Download the ZIP")
    creator.until(lambda: creator.box("amber-platform").is_selected(), "the component was not added")


def files_are_filtered_and_previewed(creator):
    creator.open()
    field = creator.driver.find_element(By.ID, "filter")
    field.send_keys("liblist")
    creator.until(lambda: [each.get_attribute("value") for each in creator.driver.find_elements(
        By.CSS_SELECTOR, "#files .file:not([hidden]) button")] == ["cstrike/liblist.gam"], "the filter does not work")
    creator.driver.find_element(By.CSS_SELECTOR, "#files .file:not([hidden]) button").click()
    creator.until(lambda: "gamedll_linux" in creator.driver.find_element(By.ID, "preview").text, "there is no preview")
    checks.expect(creator.driver.switch_to.active_element.get_attribute("id") == "preview", "focus is elsewhere")
    creator.press("Close the preview")
    creator.until(lambda: not creator.driver.find_elements(By.ID, "preview"), "the preview stays")


def edited_files_are_compared(creator):
    creator.stack.goldsmith("overlay", "set", "cstrike/game.cfg", "--component", "forge-gamedll", "--position", "30",
                            "--file", os.path.join(creator.stack.folder, "web-section"))
    try:
        creator.open("?optimized=1")
        creator.driver.find_element(By.CSS_SELECTOR, ".file button[value='cstrike/game.cfg']").click()
        creator.until(lambda: creator.driver.find_elements(By.CSS_SELECTOR, "#preview .added"), "no line is marked")
        added = creator.driver.find_element(By.CSS_SELECTOR, "#preview .added").text
        checks.expect("web_test 1" in added, added)
    finally:
        creator.stack.goldsmith("overlay", "remove", "cstrike/game.cfg", "--component", "forge-gamedll")


def versions_are_pinned(creator):
    creator.open()
    pin = Select(creator.driver.find_element(By.CSS_SELECTOR, "#component-anvil-engine select"))
    oldest = pin.options[-1]
    version = oldest.get_attribute("value").split("@")[1]
    oldest.click()
    creator.until(lambda: f"anvil-engine@{version}" in creator.query(), f"the address has {creator.query()}")
    creator.says(f"Anvil Engine {version}")


def plugins_are_searched_and_added(creator):
    creator.open()
    creator.driver.find_element(By.ID, "plugin-search").send_keys("afk")
    creator.until(lambda: "AFK Watch" in creator.driver.find_element(By.ID, "found").text, "nothing is found")
    creator.driver.find_element(By.CSS_SELECTOR, "#found input").click()
    creator.until(lambda: "plugins=afk-watch" in creator.query(), creator.query())
    creator.until(lambda: creator.stack.json(f"/v1/server-builder/resolve?{creator.query()}")["build_hash"] ==
                  creator.build_hash(), "the build is not the one with the plugin")
    for _ in ("as searched", "as the page has it"):
        chosen = creator.driver.find_element(By.ID, "picked").text
        checks.expect(chosen == "AFK Watch", f"the plugins that are chosen: {chosen}")
        creator.open("?plugins=afk-watch")


def pages_of_plugins_add_to_the_choice(creator):
    creator.open("?plugins=afk-watch")
    creator.box("bot-company").click()
    creator.says("Bot Company")
    creator.driver.get(f"{creator.stack.origin}/plugins/knife-round")
    button = creator.driver.find_element(By.CSS_SELECTOR, "[data-add]")
    checks.expect(button.text == "Add to server (1 chosen)", button.text)
    button.click()
    creator.says("Bot Company")
    checks.expect("plugins=afk-watch,knife-round" in creator.query(), creator.query())
    creator.driver.get(f"{creator.stack.origin}/plugins/afk-watch")
    button = creator.driver.find_element(By.CSS_SELECTOR, "[data-add]")
    checks.expect(button.text == "Show your server", button.text)
    creator.driver.get(f"{creator.stack.origin}/addons/match-night")
    button = creator.driver.find_element(By.CSS_SELECTOR, "[data-add]")
    checks.expect(button.text == "Add all to server (2 chosen)", button.text)
    button.click()
    creator.says("Bot Company")
    checks.expect("plugins=afk-watch,knife-round,grenade-calls,damage-report,frag-streak,money-floor" in creator.query(),
                  creator.query())
    creator.driver.execute_script("localStorage.clear()")
    creator.driver.get(f"{creator.stack.origin}/plugins/afk-watch")
    button = creator.driver.find_element(By.CSS_SELECTOR, "[data-add]")
    checks.expect(button.text == "Add to a server", button.text)


def the_button_to_the_result_does_not_hide_the_search(creator):
    set_width(creator.driver, checks.NARROWEST, 480)
    try:
        creator.open()
        search = creator.driver.find_element(By.ID, "plugin-search")
        # At the end of the window, where the button would be.
        creator.driver.execute_script("scrollBy(0, arguments[0].getBoundingClientRect().bottom - innerHeight)", search)
        hit = creator.driver.execute_script("""
          const place = arguments[0].getBoundingClientRect();
          return document.elementFromPoint(place.left + place.width / 2, place.top + place.height / 2)?.outerHTML;""", search)
        checks.expect(hit == search.get_attribute("outerHTML"), f"where the search is there is {hit}")
    finally:
        set_width(creator.driver, 1280, 900)


def links_are_shared(creator):
    creator.open()
    creator.box("bot-company").click()
    creator.says("Bot Company")
    address, build_hash = creator.driver.current_url, creator.build_hash()
    with browser() as other:
        other.get(address)
        shown = other.find_element(By.CSS_SELECTOR, ".ready code[title]").get_attribute("title")
        title = other.find_element(By.CSS_SELECTOR, "meta[property='og:description']").get_attribute("content")
    checks.expect(shown == build_hash, "the link shows another build")
    checks.expect("Bot Company" in title, f"the preview of the link says: {title}")


def recipes_follow_the_choice(creator):
    creator.open("?optimized=1")
    recipes = creator.driver.find_element(By.ID, "recipes")

    def selections():
        """As the recipes show them, without what one has in addition."""
        texts = "\n".join(each.get_attribute("textContent") for each in recipes.find_elements(By.TAG_NAME, "code"))
        return {each.removesuffix("&as=egg.json") for each in re.findall(r"\?[^'\s]*", texts)}

    def links():
        return {urllib.parse.unquote(urllib.parse.urlsplit(each.get_attribute("href")).query)
                for each in recipes.find_elements(By.CSS_SELECTOR, "a[href*='/server/']")}

    for each in recipes.find_elements(By.CSS_SELECTOR, "summary"):
        each.click()
    checks.expect(selections() == {"?optimized=1"} and links() == {"optimized=1"}, f"{selections()} {links()}")
    creator.box("bot-company").click()
    creator.says("Bot Company")
    creator.until(lambda: selections() == {"?" + creator.query()} and links() == {creator.query()}, "the recipes have another selection")
    checks.expect("@" not in creator.query(), "the recipes do not follow the latest versions")
    for each in recipes.find_elements(By.CSS_SELECTOR, "a[href*='/server/']"):
        path = each.get_attribute("href")[len(creator.stack.origin):]
        checks.expect(creator.stack.get(path)[0] == 200, f"{path} cannot be had")
    creator.driver.find_element(By.XPATH, "//summary[.='Command line and link']").click()
    creator.press("Pin these versions")
    creator.until(lambda: "bot-company@" in creator.query() and selections() == {"?" + creator.query()}, "the versions are not pinned")
    creator.open("?components=quarry-api")
    checks.expect(not creator.driver.find_element(By.ID, "recipes").is_displayed(), "there are recipes for an impossible selection")
    creator.press("Remove Quarry API")
    creator.says("Nothing is chosen")


def what_has_vanished_is_a_warning(creator):
    creator.open("?components=anvil-engine@0.0.1,forge-gamedll,nothing-like-it")
    warnings = " ".join(each.text for each in creator.driver.find_elements(By.CSS_SELECTOR, ".warning"))
    checks.expect("0.0.1" in warnings and "nothing-like-it" in warnings, f"the warnings are: {warnings}")
    creator.says("Download the ZIP")


def plugins_say_what_came_of_them(creator):
    def boxes():
        return [each.text.replace("\n", " ") for each in creator.driver.find_elements(By.CSS_SELECTOR, "#picked li")]

    creator.open("?plugins=afk-watch,case-broken,case-older@2.0")
    creator.says("Version 2.0 of Case Older does not compile")
    creator.press("Use the newest version of Case Older")
    creator.says("version 1.0 is used, because version 2.0 does not compile")
    checks.expect(boxes() == ["AFK Watch", "Case Broken left out", "Case Older"], f"the boxes are: {boxes()}")
    rows = [each.text.splitlines()[0] for each in creator.driver.find_elements(By.CSS_SELECTOR, "#planned-plugins li")]
    checks.expect(rows == ["AFK Watch 2.0", "Case Older 1.0 Load earlier", "Case Broken left out"], f"the plugins are: {rows}")
    creator.driver.find_element(By.CSS_SELECTOR, "#picked input[value=case-broken]").click()
    creator.until(lambda: "Case Broken" not in creator.outcome() and "left out" not in " ".join(boxes()), "the plugin is still there")


def what_a_plugin_needs_is_added(creator):
    creator.open("?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=case-needs")
    creator.says("Case Needs needs Quarry API")
    creator.press("Add Quarry API")
    creator.until(lambda: creator.box("quarry-api").is_selected(), "Quarry API is not chosen")
    creator.says("Needs Quarry API.")


def advice_is_folded_away_and_stays_as_it_is(creator):
    creator.open("?components=anvil-engine,forge-gamedll,hearth-loader,lantern-auth")
    creator.driver.find_element(By.CSS_SELECTOR, "#advice summary").click()
    creator.says("Lantern: set IdHashSalt")
    creator.box("bot-company").click()
    creator.says("Bot Company: bc_quota")


def the_download_is_what_resolve_says(creator):
    creator.open("?plugins=afk-watch")
    creator.driver.find_element(By.ID, "download").click()
    deadline = time.monotonic() + WAIT
    # The browser reserves the name with an empty file, and renames the whole download to it.
    while not (files := [each for each in os.scandir(creator.driver.downloads) if each.name.endswith(".zip") and each.stat().st_size]):
        checks.expect(time.monotonic() < deadline, "nothing was downloaded")
        time.sleep(0.1)
    archive = zipfile.ZipFile(files[0].path)
    plan = creator.stack.json("/v1/server-builder/resolve?plugins=afk-watch")
    checks.expect(files[0].name == f"cs16-server-{plan['build_hash'][:12]}.zip", f"the file is {files[0].name}")
    wanted = {each["path"]: each["size"] for each in plan["files"]}
    found = {each.filename: each.file_size for each in archive.infolist() if not each.is_dir()}
    checks.expect(found == wanted, "the ZIP has other files than resolve lists")


def what_the_visitor_did_stays(creator):
    """Folders, the text of a search, the caret, focus and scroll positions."""
    creator.open()
    creator.driver.find_element(By.XPATH, "//summary[.='Command line and link']").click()
    creator.driver.find_element(By.CSS_SELECTOR, "#files .folder .folder > summary").click()
    creator.driver.find_element(By.ID, "plugin-search").send_keys("afk")
    creator.until(lambda: "AFK Watch" in creator.driver.find_element(By.ID, "found").text, "nothing is found")
    creator.driver.execute_script("""
      document.getElementById('plugin-search').setSelectionRange(1, 2);
      document.getElementById('outcome').scrollTop = 150;
      document.getElementById('component-lantern-auth').scrollIntoView();
      document.querySelector('#component-lantern-auth input').click();""")
    state = """
      const search = document.getElementById('plugin-search');
      return [document.activeElement.id, search.value, search.selectionStart, search.selectionEnd, Math.round(scrollY),
              document.getElementById('outcome').scrollTop, [...document.querySelectorAll('main details')].map((each) => each.open)];"""
    before = creator.driver.execute_script(state)
    creator.until(lambda: "Lantern" in creator.driver.find_element(By.CSS_SELECTOR, ".chosen").get_attribute("textContent"),
                  "the choice is not shown")
    after = creator.driver.execute_script(state)
    checks.expect(before[:6] == after[:6], f"{before} became {after}")
    checks.expect(before[0] == "plugin-search" and before[6].count(True) == after[6].count(True) > 3, f"{before} became {after}")


def quick_clicks_end_in_the_last_choice(creator):
    creator.open()
    for _ in range(31):
        creator.box("bot-company").click()
    creator.says("Bot Company")
    plan = creator.stack.json(f"/v1/server-builder/resolve?{creator.query()}")
    creator.until(lambda: creator.build_hash() == plan["build_hash"], "another build is shown than resolve gives")
    checks.expect(creator.box("bot-company").is_selected(), "the box shows another choice")


def a_busy_service_is_asked_again(creator):
    for trouble, says in ((["", *["429"] * 4], "The service is busy. The page tries again in 1 second."),
                          (["", *["503"] * 4], "The service does not answer. The page tries again in 1 second."),
                          (["", "gone"], "The service does not answer. The page tries again in 10 seconds.")):
        with troubled(creator.stack, server=trouble) as proxy:
            creator.open(origin=proxy.url)
            creator.box("bot-company").click()
            creator.says(says)
            checks.expect(says == creator.announced(), f"announced: {creator.announced()}")
            checks.expect(not creator.driver.find_element(By.ID, "recipes").is_displayed(), "there are recipes for another selection")
            creator.says("Bot Company")
            checks.expect("bot-company" in creator.query(), creator.query())


def keys_work_and_can_be_switched_off(creator):
    creator.open()
    body = creator.driver.find_element(By.TAG_NAME, "body")
    body.send_keys("o")
    creator.until(lambda: "optimized=1" in creator.query(), "the key o does nothing")
    creator.driver.find_element(By.CSS_SELECTOR, ".keys summary").click()
    creator.driver.find_element(By.ID, "use-keys").click()
    body.send_keys("o")
    time.sleep(0.3)
    checks.expect("optimized=1" in creator.query(), "the key o still works")
    creator.driver.find_element(By.ID, "use-keys").click()


FLOWS = [every_control_names_its_component, choosing_is_resolved_and_in_the_address, back_undoes, a_layer_has_one,
         conflicts_are_explained_and_solved, several_missing_parts_are_one_box, missing_parts_are_added, files_are_filtered_and_previewed,
         edited_files_are_compared, versions_are_pinned, plugins_are_searched_and_added, links_are_shared,
         pages_of_plugins_add_to_the_choice, the_button_to_the_result_does_not_hide_the_search,
         recipes_follow_the_choice, what_has_vanished_is_a_warning, plugins_say_what_came_of_them, what_a_plugin_needs_is_added,
         advice_is_folded_away_and_stays_as_it_is, the_download_is_what_resolve_says,
         what_the_visitor_did_stays, quick_clicks_end_in_the_last_choice, a_busy_service_is_asked_again,
         keys_work_and_can_be_switched_off]


def flows(stack, tools):
    with browser() as driver:
        creator = Creator(driver, stack)
        for flow in FLOWS:
            name = flow.__name__.replace("_", " ")
            yield name, "holds", lambda: flow(creator)
            yield name, "leaves a clean console", lambda: checks.console_is_clean(driver, ("/server?",))
            yield name, "is accessible", lambda: checks.has_no_axe_violation(driver, tools)


def main(folder, tools):
    stack = Stack(folder)
    with open(os.path.join(folder, "web-section"), "w", encoding="utf-8") as file:
        file.write("web_test 1\n")
    passed, failed = run(flows(stack, tools))
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
