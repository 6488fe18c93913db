#!/usr/bin/python3
"""Every page in a real browser: pages_test.py STACK_FOLDER TOOLS_FOLDER"""

import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

from selenium.webdriver.support.ui import WebDriverWait

from browser import browser, press, set_width
import checks
from stack import Stack

PAGES = ["/", "/licenses", "/plugins", "/plugins?q=a&category=admin", "/plugins?q=zzzz", "/plugins?page_n=2", "/plugins/afk-watch",
         "/plugins/afk-watch/2.0/afk_watch.sma", "/addons", "/addons/public-server", "/server",
         "/server?plugins=afk-watch&optimized=1", "/server?components=lantern-auth,gone,anvil-engine@9",
         "/server/compare", "/server/compare?from=components%3Danvil-engine%403.1.4&optimized=1", "/server/compare?from=nothing",
         "/server?components=,", "/server?file=cstrike/liblist.gam", "/server/existing", "/log", "/names?q=MAX_PLAYERS", "/docs", "/status",
         "/nothing-here"]


def with_javascript(stack, tools):
    with browser() as driver:
        for path in PAGES:
            set_width(driver, 1280, 900)
            driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            driver.get_log("performance")  # of what came before
            driver.get(stack.origin + path)
            yield path, "is light", lambda: checks.is_light(driver, stack.origin)
            yield path, "does not shift", lambda: checks.does_not_shift(driver)
            may_fail = (path,) if path in ("/nothing-here", "/server/compare?from=nothing") else ()
            yield path, "has a clean console", lambda: checks.console_is_clean(driver, may_fail)
            yield path, "is accessible", lambda: checks.has_no_axe_violation(driver, tools)
            set_width(driver, checks.NARROWEST, 640)
            yield path, "fits narrow screens", lambda: checks.fits_narrow_screens(driver)
            yield path, "is accessible on narrow screens", lambda: checks.has_no_axe_violation(driver, tools)


def in_dark_colours(stack, tools):
    """What differs from the light ones."""
    with browser(dark=True) as driver:
        for path in PAGES:
            set_width(driver, 1280, 900)
            driver.get(stack.origin + path)
            for screen, width in (("", 1280), (" on narrow screens", checks.NARROWEST)):
                set_width(driver, width, 900)
                yield path, f"has readable colours in the dark{screen}", lambda: checks.has_no_axe_violation(
                    driver, tools, rules=checks.AXE_COLOURS)
        yield "a grey text", "is refused", lambda: is_refused_in_the_dark(driver, tools)


def is_refused_in_the_dark(driver, tools):
    driver.execute_script("document.querySelector('main h1').style.color = 'rgb(60, 60, 60)'")
    checks.is_refused(lambda: checks.has_no_axe_violation(driver, tools, rules=checks.AXE_COLOURS), "color-contrast")


def without_javascript(stack):
    with browser(javascript=False) as driver:
        set_width(driver, 1280, 900)
        for path in PAGES:
            driver.get(stack.origin + path)
            yield path, "has a heading without JavaScript", lambda: checks.expect(
                driver.find_element("css selector", "main h1").text.strip(), "there is no heading")
            yield path, "shows no dead controls without JavaScript", lambda: checks.expect(
                not any(each.is_displayed() for each in driver.find_elements("css selector", ".js-only, .theme")),
                "a control that needs JavaScript is shown")


def by_http(stack, tools):
    pages = {path: stack.get(path)[2].decode("utf-8") for path in PAGES}
    for path, text in pages.items():
        yield path, "is valid HTML", lambda: checks.is_valid_html(text)
    yield "every page", "links to anchors that exist", lambda: checks.links_lead_to_their_anchors(
        pages, stack.origin, lambda path: stack.get(path)[2].decode("utf-8"))
    yield "every page", "follows the content model", lambda: checks.follows_the_content_model(pages, tools)
    wrong = "<!doctype html><html lang=en><title>A list</title><ul><p>no item</p></ul>"
    yield "the content model", "is checked", lambda: checks.is_refused(
        lambda: checks.follows_the_content_model({"/": wrong}, tools), "<p> element is not permitted as content under <ul>")


def search_works(driver, stack):
    driver.get(stack.origin + "/")
    field = driver.find_element("css selector", "main input[name=q]")
    field.send_keys("afk")
    field.submit()
    WebDriverWait(driver, 30).until(lambda _: driver.current_url.endswith("/plugins?q=afk"))
    links = [each.text for each in driver.find_elements("css selector", ".card h3")]
    checks.expect(links == ["AFK Watch"], links)


def front_page_installs(driver, stack):
    """What it says of the recommended server is what the creator says, and its command installs that."""
    driver.get(stack.origin + "/server")
    size = driver.find_element("css selector", ".total").text
    chosen = [each.text.removesuffix(" comes along") for each in driver.find_elements("css selector", ".chosen li")]
    driver.get(stack.origin + "/")
    shown = driver.find_element("css selector", "#recommended .total").text
    checks.expect(shown == size, f"{shown} instead of {size}")
    parts = [each.text for each in driver.find_elements("css selector", "#recommended dd")]
    checks.expect(parts and sorted(parts) == sorted(chosen), f"{parts} instead of {chosen}")
    file = driver.find_element("css selector", ".written li")
    path, text = file.find_element("css selector", "a").text, file.find_element("css selector", "pre").text
    command = driver.find_element("css selector", "#recommended .copy-frame code").text
    with tempfile.TemporaryDirectory() as folder:
        trust = {**os.environ, "CURL_CA_BUNDLE": os.path.join(stack.folder, "etc/tls/cert.pem")}
        done = subprocess.run(["sh", "-c", command.replace("curl ", "curl -s ").replace("update.sh .", "update.sh --yes .")], cwd=folder,
                              env=trust, stdout=subprocess.DEVNULL, check=False, timeout=60)
        checks.expect(done.returncode == 0, f"{command} ends with {done.returncode}")
        installed = (pathlib.Path(folder) / path).read_text(encoding="utf-8")
        checks.expect(installed.strip() == text, f"{path} is {installed} instead of {text}")
    file.find_element("css selector", "a").click()
    WebDriverWait(driver, 30).until(lambda _: driver.find_elements("id", "preview"))
    checks.expect(path in driver.find_element("id", "preview").text, "there is no preview")


def first_administrator(driver, stack):
    """The front page makes the line of users.ini, and asks nobody for it."""
    driver.get(stack.origin + "/")
    driver.find_element("css selector", "#begin summary").click()
    line, field = driver.find_element("id", "admin-line"), driver.find_element("id", "steam-id")
    sample = line.text
    driver.get_log("performance")
    field.send_keys(" steam_0:1:77 ")
    checks.expect(line.text == sample.replace("STEAM_0:1:2345678", "STEAM_0:1:77") != sample, line.text)
    checks.expect(field.get_attribute("aria-invalid") == "false", "a Steam ID is refused")
    field.send_keys("x" * 3)
    field.clear()
    field.send_keys("me")
    checks.expect(line.text == sample and field.get_attribute("aria-invalid") == "true", line.text)
    checks.expect("Network.requestWillBeSent" not in str(driver.get_log("performance")), "something was sent")


def form_resolves(driver, stack):
    """The creator as a form."""
    driver.get(stack.origin + "/server")
    driver.find_element("css selector", "input[value=stock-engine], input[value=bot-company]").click()
    driver.find_element("css selector", "input[name=optimized]").click()
    driver.find_element("id", "cfg").send_keys("mp_timelimit 20\nhostname A, b & c")
    driver.find_element("css selector", ".choices button[type=submit]:not(.quiet)").click()
    WebDriverWait(driver, 30).until(lambda _: "optimized=1" in driver.current_url)
    settings = driver.find_element("id", "cfg").get_attribute("value")
    checks.expect(settings == "hostname A, b & c\nmp_timelimit 20", settings)
    checks.expect(driver.find_elements("css selector", ".file button[value='cstrike/addons/amxmodx/configs/svc.cfg']"), "it is not in the build")
    chosen = driver.find_element("css selector", ".chosen").text
    checks.expect("Bot Company" in chosen, chosen)
    driver.find_element("css selector", ".file button[value='cstrike/liblist.gam']").click()
    WebDriverWait(driver, 30).until(lambda _: driver.current_url.endswith("file=cstrike%2Fliblist.gam#preview"))
    checks.expect("Bot Company" in driver.find_element("css selector", ".chosen").text, "the selection is gone")
    checks.expect(driver.find_element("id", "preview").is_displayed(), "there is no preview")


def theme_is_kept(driver, stack):
    driver.get(stack.origin + "/")
    for _ in range(2):
        driver.find_element("css selector", "[data-theme-switch]").click()
    driver.get(stack.origin + "/plugins")
    checks.expect(driver.execute_script("return document.documentElement.dataset.theme") == "dark", "it is not dark")
    checks.console_is_clean(driver)


def keyboard_reaches_everything(driver, stack):
    """The link to the content comes first, and focus is visible."""
    driver.get(stack.origin + "/")
    press(driver, "Tab")
    active = driver.switch_to.active_element
    checks.expect(active.text == "Skip to content" and active.is_displayed(), f"focus is on {active.tag_name} {active.text}")


def flows(stack):
    with browser() as driver:
        yield "search", "works", lambda: search_works(driver, stack)
        yield "the front page", "installs what it shows", lambda: front_page_installs(driver, stack)
        yield "the front page", "makes the line of an administrator", lambda: first_administrator(driver, stack)
        yield "colours", "are kept", lambda: theme_is_kept(driver, stack)
        yield "keyboard", "begins at the link to the content", lambda: keyboard_reaches_everything(driver, stack)
    with browser(javascript=False) as driver:
        yield "creator without JavaScript", "resolves", lambda: form_resolves(driver, stack)


def run(checks_of_pages):
    passed = failed = 0
    for subject, what, check in checks_of_pages:
        try:
            check()
            passed += 1
        except checks.Failure as failure:
            failed += 1
            print(f"{subject} {what}: {failure}\n")
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"{subject} {what}:")
            traceback.print_exc(file=sys.stdout)
    return passed, failed


def main(folder, tools):
    stack = Stack(folder)
    passed = failed = 0
    for group in (by_http(stack, tools), with_javascript(stack, tools), in_dark_colours(stack, tools),
                  without_javascript(stack), flows(stack)):
        more_passed, more_failed = run(group)
        passed, failed = passed + more_passed, failed + more_failed
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
