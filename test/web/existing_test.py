#!/usr/bin/python3
"""The page that tells what is on a server, in folders with real archives: existing_test.py STACK_FOLDER TOOLS_FOLDER"""

import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from adopt_test import compiled, library
from browser import browser, set_width
import checks
from pages_test import run
from stack import Stack

WAIT = 60  # seconds
SELECTION = "?plugins=afk-watch,map-clock"
PLUGINS = "cstrike/addons/amxmodx/plugins/"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">.so"

CONSOLE = """meta list
Currently loaded plugins:
      description   stat pend  file                      vers         src  load  unload
 [ 1] Amber         RUN   -    amber_mm_i386.so          v1.10.2      ini  Start ANY
1 plugins, 1 running
amxx plugins
Currently loaded plugins:
       name                    version     author            file             status
 [  1] AFK Watch               1.0         goldsmith         afk_watch.amxx   running
1 plugins, 1 running
"""


def write(folder, path, content):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def make_server(stack, folder):
    """One with all that a report tells."""
    status, _, body = stack.get("/v1/server-builder/download" + SELECTION)
    checks.expect(status == 200, body)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        archive.extractall(folder)
    common = folder / "cstrike/addons/amxmodx/data/lang/common.txt"
    common.write_bytes(common.read_bytes().replace(b"\n", b"\r\n"))
    write(folder, "cstrike/addons/amxmodx/configs/users.ini", b"my admins\n")
    write(folder, PLUGINS + "afk_watch.amxx", compiled(b"AFK Watch", b"1.0", b"goldsmith"))
    write(folder, PLUGINS + "mine.amxx", compiled(b"Mine", b"3", b"somebody"))
    write(folder, PLUGINS + "broken.amxx", compiled(b"Broken", b"3", b"somebody")[:-9])
    write(folder, "cstrike/addons/other/" + HOSTILE, library(b"Other <b>", b"1.2"))
    write(folder, "cstrike/maps/mine.bsp", b"map")
    write(folder, "Dockerfile", b"RUN curl -LO https://github.com/nobody/nothing/releases/download/1.0/nothing.zip\n")


class Page:
    """It as somebody uses it."""

    def __init__(self, driver, stack):
        self.driver, self.stack = driver, stack

    def open(self, query=""):
        self.driver.get(self.stack.origin + "/server/existing" + query)

    def choose(self, folder):
        self.driver.find_element(By.ID, "folder").send_keys(str(folder))

    def drop(self, path):
        for kind in ("dragEnter", "dragOver", "drop"):
            self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {
                "type": kind, "x": 300, "y": 300, "data": {"items": [], "files": [str(path)], "dragOperationsMask": 1}})

    def says(self, text):
        try:
            WebDriverWait(self.driver, WAIT).until(lambda _: text in self.driver.find_element(By.ID, "folder-status").text)
        except Exception as error:
            said = self.driver.find_element(By.ID, "folder-status").text
            raise checks.Failure(f"it does not say “{text}” but “{said}”") from error

    def report(self):
        self.says("Nothing of it was sent.")
        return json.loads(self.driver.execute_script("return document.querySelector('#report > details:last-child code').textContent"))

    def text(self):
        return self.driver.find_element(By.ID, "report").text


def by_program(stack, folder, *options):
    """What goldsmith-keeper says of it."""
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place, "goldsmith-keeper")
        program.write_bytes(stack.get("/server/goldsmith-keeper")[2])
        program.chmod(0o755)
        known = pathlib.Path(place, "known")
        known.write_bytes(stack.get("/server/known-files.txt")[2])
        done = subprocess.run([program, *options, "adopt", "--json", "--known", known, folder], capture_output=True, text=True, check=False)
    checks.expect(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def tells_the_same_as_the_program(page, folder):
    expected = by_program(page.stack, folder, "--language", "en")
    kinds = {kind for kind, count in expected["counts"].items() if count}
    checks.expect({"edited", "written", "unknown", "unknown_plugin", "known"} <= kinds, f"the folder has only {kinds}")
    checks.expect(expected["plugins"] and expected["declared"] and expected["other_files"], expected)
    page.open()
    page.choose(folder)
    found = page.report()
    for key, value in expected.items():
        checks.expect(found[key] == value, f"{key}: {found[key]} is not {value}")
    checks.expect(found.keys() == expected.keys(), found.keys())
    for part in ("cstrike", "."):  # the game's folder, or one with the server in it
        inner = folder / part if part != "." else folder.parent
        page.open()
        page.choose(inner)
        found, wanted = page.report(), by_program(page.stack, inner, "--language", "en")
        if part == "cstrike":
            # The program looks above it, too.
            wanted = {**wanted, **{key: found[key] for key in ("components", "link", "counts", "files", "declared", "places", "problems")}}
        checks.expect(found == wanted, [key for key in wanted if wanted[key] != found[key]])


def tells_it_in_words(page, folder):
    page.open()
    page.choose(folder)
    page.report()
    text = page.text()
    for each in ("Anvil Engine 3.2.0", "AFK Watch 1.0", "Edited configuration: 1", "cstrike/addons/amxmodx/configs/users.ini (amber-platform)",
                 "\"Mine\" 3 by somebody", "Other files, such as maps and models: 1", "nobody/nothing 1.0, said by Dockerfile"):
        checks.expect(each in text, f"it lacks {each}: {text}")
    link = page.driver.find_element(By.CSS_SELECTOR, "#report .panel a.button").get_attribute("href")
    checks.expect("/server?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform" in link, link)
    page.driver.get(link)
    checks.expect(page.driver.find_elements(By.ID, "download"), "the link leads to no server")
    checks.console_is_clean(page.driver)


def reads_what_is_dropped(page, folder):
    expected = by_program(page.stack, folder, "--language", "en")
    page.open()
    page.drop(folder)
    found = page.report()
    checks.expect(found == expected, [key for key in expected if expected[key] != found[key]])
    page.drop(folder / "Dockerfile")
    page.says("That is no folder.")
    checks.expect(not page.text(), "the last report is still there")


def speaks_the_language_of_the_page(page, folder):
    expected = by_program(page.stack, folder, "--language", "pl")
    page.open("?lang=pl")
    page.driver.find_element(By.ID, "folder").send_keys(str(folder))
    WebDriverWait(page.driver, WAIT).until(lambda _: page.text())
    found = json.loads(page.driver.execute_script("return document.querySelector('#report > details:last-child code').textContent"))
    checks.expect(found == expected, [key for key in expected if expected[key] != found[key]])
    checks.expect(found != by_program(page.stack, folder, "--language", "en"), "it is English")
    link = page.driver.find_element(By.CSS_SELECTOR, "#report .panel a.button").get_attribute("href")
    checks.expect(link.endswith("&lang=pl"), link)


def names_what_a_console_lists(page):
    page.open()
    page.driver.find_element(By.ID, "console").send_keys(CONSOLE)
    found = page.report()
    checks.expect([(each["component"], each["version"]) for each in found["components"]] == [("amber-platform", "1.10.2")], found["components"])
    checks.expect([(each["plugin"], each["version"]) for each in found["plugins"]] == [("afk-watch", "1.0")], found["plugins"])
    page.driver.find_element(By.ID, "console").clear()
    page.driver.find_element(By.ID, "console").send_keys("status\n")
    page.says("None of these lists is in it.")
    checks.expect(not page.text(), "the last report is still there")


def says_what_is_no_server(page, here):
    write(here, "empty/of/a.txt", b"a")
    for name in "ab":
        write(here, f"two/{name}/cstrike/liblist.gam", b"game\n")
    page.open()
    page.choose(here / "empty")
    page.says("empty has neither a folder cstrike nor one of the game's")
    page.choose(here / "two")
    page.says("there is more than one server in two: ./a, ./b; name one")


def nothing_is_sent(page, folder):
    page.open()
    page.driver.get_log("performance")
    page.choose(folder)
    page.report()
    asked = [(message["params"]["request"]["method"], message["params"]["request"]["url"].rpartition("/")[2]) for message in
             (json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance"))
             if message["method"] == "Network.requestWillBeSent"]
    checks.expect(sorted(asked) == [("GET", "known-files.txt"), ("GET", "server.wasm")], f"it asks for {asked}")
    kept = page.driver.execute_script("return JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href")
    checks.expect("users.ini" not in kept, kept)


def hostile_names_are_text(page, folder):
    page.open()
    page.choose(folder)
    page.report()
    checks.expect(HOSTILE in page.text(), page.text())
    checks.expect(page.driver.title.startswith("A server that exists already"), page.driver.title)
    checks.console_is_clean(page.driver)


def a_report_is_accessible(page, folder, tools):
    for width in (1280, checks.NARROWEST):
        set_width(page.driver, width, 900)
        page.open()
        page.choose(folder)
        page.report()
        checks.has_no_axe_violation(page.driver, tools)
        checks.fits(page.driver, width)
    set_width(page.driver, 1280, 900)


def runs_nothing_else(stack):
    """The module is allowed on the pages that have one, and nowhere else."""
    for path in ("/server/existing", "/log", "/server", "/", "/plugins"):
        policy = stack.get(path)[1]["Content-Security-Policy"]
        allowed = "script-src 'self' 'wasm-unsafe-eval';" if path in ("/server/existing", "/log") else "script-src 'self';"
        checks.expect(allowed in policy, f"{path}: {policy}")
        checks.expect("'unsafe-eval'" not in policy and "'unsafe-inline'" not in policy, policy)


def without_it_the_script_is_named(stack, javascript):
    with browser(javascript=javascript) as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.WebAssembly"})
        page = Page(driver, stack)
        page.open()
        checks.expect(not any(each.is_displayed() for each in driver.find_elements(By.ID, "folder")), "there is a field for a folder")
        checks.expect("The script below does the same" in driver.find_element(By.ID, "main").text, "it does not say so")
        checks.expect("/server/adopt.sh | sh -s -- /srv/cs16" in driver.find_element(By.ID, "terminal").text, "the script is not named")


def existing_checks(stack, tools):
    with tempfile.TemporaryDirectory() as place, browser() as driver:
        folder = pathlib.Path(place, "one/cs")
        make_server(stack, folder)
        page = Page(driver, stack)
        what = "the page of existing servers"
        yield what, "tells the same as the program", lambda: tells_the_same_as_the_program(page, folder)
        yield what, "tells it in words", lambda: tells_it_in_words(page, folder)
        yield what, "reads what is dropped", lambda: reads_what_is_dropped(page, folder)
        yield what, "speaks its language", lambda: speaks_the_language_of_the_page(page, folder)
        yield what, "names what a console lists", lambda: names_what_a_console_lists(page)
        yield what, "says what is no server", lambda: says_what_is_no_server(page, pathlib.Path(place))
        yield what, "sends nothing", lambda: nothing_is_sent(page, folder)
        yield what, "shows hostile names as text", lambda: hostile_names_are_text(page, folder)
        yield what, "is accessible with a report", lambda: a_report_is_accessible(page, folder, tools)
        yield what, "runs a module and nothing else", lambda: runs_nothing_else(stack)
    for javascript in (True, False):
        yield what, "names the script without a module", lambda javascript=javascript: without_it_the_script_is_named(stack, javascript)


def main(folder, tools):
    passed, failed = run(existing_checks(Stack(folder), tools))
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
