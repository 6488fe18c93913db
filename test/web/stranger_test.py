#!/usr/bin/python3
"""Every page for who sees, hears, reads or loads it in another way: stranger_test.py STACK_FOLDER TOOLS_FOLDER

By keyboard alone, at 400 % zoom, without a style sheet, with names that are written from right to left, over a slow
network."""

import json
import pathlib
import sys
import tempfile
import time
import zipfile

from selenium.webdriver.support.ui import WebDriverWait

from browser import browser, press, set_width
import checks
import senses
from pages_test import PAGES, run
from stack import Stack

SLUG = "web-stranger"
NAME = "שומר ראש 2.0 (AFK)"
AUTHOR = "مطور 1"
TEXT = "حارس اللاعبين 3.5: السيرفر"
SELECTION = f"/server?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,{SLUG}&plugins={SLUG}"
RIGHT_TO_LEFT = ["/", "/plugins", "/plugins?q=%D7%A9", f"/plugins/{SLUG}", "/addons", f"/addons/{SLUG}",
                 SELECTION, "/licenses"]
# A phone far from a mast.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}


def write(folder):
    source = "#include <amxmodx>\npublic plugin_init() {}\n"
    (folder / f"{SLUG}.sma").write_text(source, encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({
        "slug": SLUG, "name": NAME, "category": "fun", "author": AUTHOR, "license": "MIT", "status": "published", "summary": TEXT,
        "description": TEXT, "tags": [AUTHOR, "afk"], "downloads": 98_000_000,
        "cvars": [{"name": "x_time", "default": "1", "help": TEXT}], "commands": [{"name": "say /x", "flags": "a", "help": TEXT}],
        "links": [{"title": TEXT, "url": "https://example.org/"}],
        "versions": [{"version": "1.0", "changes": TEXT, "files": [{"path": f"{SLUG}.sma", "install_dir": "addons/amxmodx/scripting"}]}]}),
        encoding="utf-8")
    (folder / "pack.json").write_text(json.dumps({
        "slug": SLUG, "name": NAME, "description": TEXT, "status": "published", "plugins": [SLUG, "afk-watch"]}), encoding="utf-8")
    (folder / "component.json").write_text(json.dumps({
        "slug": SLUG, "name": NAME, "description": TEXT, "layer": "content", "sort_order": 901, "advice": [TEXT],
        "rules": [{"rule": "recommends", "component": "bot-company", "note": TEXT}]}), encoding="utf-8")
    (folder / "file.txt").write_text("x", encoding="utf-8")


def prepare(stack):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder)
        with zipfile.ZipFile(folder / "release.zip", "w") as file:
            file.writestr(f"cstrike/{SLUG}.txt", "x")
        stack.publish(folder, SLUG)


def by_keyboard(stack):
    with browser() as driver:
        set_width(driver, 1280, 900)
        for path in PAGES:
            driver.get(stack.origin + path)
            yield path, "is walked with Tab", lambda: senses.focus_goes_everywhere(driver, press)
        yield "a search", "needs no mouse", lambda: search_by_keyboard(driver, stack)
        yield "a server", "needs no mouse", lambda: create_by_keyboard(driver, stack)


def tab_to(driver, selector):
    for _ in range(400):
        if driver.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return
        press(driver, "Tab")
    raise checks.Failure(f"Tab does not reach {selector}")


def wait_for(driver, holds):
    WebDriverWait(driver, 30).until(lambda _: holds())


def search_by_keyboard(driver, stack):
    driver.get(stack.origin + "/")
    tab_to(driver, "main input[name=q]")
    driver.execute_cdp_cmd("Input.insertText", {"text": "afk w"})
    press(driver, "Enter")
    wait_for(driver, lambda: driver.current_url.endswith("/plugins?q=afk+w"))
    tab_to(driver, ".card h3 a")
    press(driver, "Enter")
    wait_for(driver, lambda: driver.current_url.endswith("/plugins/afk-watch"))
    tab_to(driver, "a[data-add]")
    press(driver, "Enter")
    wait_for(driver, lambda: "plugins=afk-watch" in driver.current_url)


def create_by_keyboard(driver, stack):
    driver.get(stack.origin + "/server")
    tab_to(driver, "input[value=bot-company]")
    press(driver, " ")
    wait_for(driver, lambda: "Bot Company" in driver.find_element("id", "result").text)
    checks.expect(driver.execute_script("return document.activeElement.value") == "bot-company", "focus is lost")
    tab_to(driver, "#result details:not(#advice, #join) > summary")
    press(driver, "Enter")
    checks.expect(driver.find_element("css selector", "#result details[open] pre").is_displayed(), "there is no command")
    tab_to(driver, ".file button[value='cstrike/liblist.gam']")
    press(driver, "Enter")
    wait_for(driver, lambda: driver.find_elements("css selector", "#preview li"))
    tab_to(driver, "#close-preview")
    press(driver, "Enter")
    wait_for(driver, lambda: not driver.find_elements("id", "preview"))
    checks.expect(driver.execute_script("return document.activeElement.value") == "cstrike/liblist.gam", "focus is lost")
    driver.get(driver.current_url)
    tab_to(driver, "#download")
    press(driver, "Enter")
    wait_for(driver, lambda: list(pathlib.Path(driver.downloads).glob("cs16-server-*.zip")))


def magnified(stack):
    """A window of 1280 by 1024 at 400 %, and letters of twice the size."""
    with browser() as driver:
        for path in PAGES:
            set_width(driver, 320, 256, scale=4)
            driver.get(stack.origin + path)
            yield path, "fits at 400 %", lambda: checks.fits(driver, 320)
            yield path, "stays readable at 400 %", lambda: senses.keeps_most_of_the_screen(driver)
            set_width(driver, 1280, 1024)
            driver.execute_script("document.documentElement.style.fontSize = '200%'")
            yield path, "fits with letters of twice the size", lambda: checks.fits(driver, 1280)


def without_style_sheet(stack, tools):
    """With scripts and without: the same words, and nothing to use that is dead."""
    for javascript in (True, False):
        with browser(javascript=javascript) as driver:
            set_width(driver, 1280, 900)
            driver.execute_cdp_cmd("Network.enable", {})
            for path in PAGES:
                driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
                driver.get(stack.origin + path)
                styled = senses.words(driver)
                driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*style.css*"]})
                driver.get(stack.origin + path)
                name = "without a style sheet" + ("" if javascript else " and scripts")
                yield path, f"has the same words {name}", lambda: senses.has_the_words(driver, styled)
                yield path, f"has small pictures {name}", lambda: senses.has_small_pictures(driver)
                if javascript:
                    # How large links are is up to the style sheet.
                    yield path, f"is accessible {name}", lambda: checks.has_no_axe_violation(driver, tools, ["target-size"])
                else:
                    yield path, f"has no dead controls {name}", lambda: senses.has_no_dead_controls(driver)


def from_right_to_left(stack, tools):
    with browser() as driver:
        for path in RIGHT_TO_LEFT:
            set_width(driver, 1280, 900)
            driver.get(stack.origin + path)
            yield path, "shows the names", lambda: checks.expect(NAME in driver.find_element("id", "main").text, "there are none")
            yield path, "reads from left to right", lambda: senses.reads_from_left_to_right(driver)
            yield path, "is accessible", lambda: checks.has_no_axe_violation(driver, tools)
            set_width(driver, checks.NARROWEST, 640)
            yield path, "fits narrow screens", lambda: checks.fits(driver, checks.NARROWEST)
            yield path, "reads from left to right on narrow screens", lambda: senses.reads_from_left_to_right(driver)
        driver.execute_script("document.querySelector('main h1').textContent = arguments[0]", f"Needs {NAME} and x")
        yield "the order of words", "is checked", lambda: checks.expect(is_reordered(driver), "it is not")


def is_reordered(driver):
    try:
        senses.reads_from_left_to_right(driver)
    except checks.Failure:
        return True
    return False


def over_a_slow_network(stack):
    with browser() as driver:
        set_width(driver, 390, 844)
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW)
        for path in PAGES:
            driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            driver.get_log("performance")  # of what came before
            driver.get(stack.origin + path)
            yield path, "paints early", lambda: paints_early(driver, path)
            yield path, "is light", lambda: checks.is_light(driver, stack.origin)


def paints_early(driver, path):
    wait_for(driver, lambda: driver.execute_script(senses.FIRST_PAINT)["milliseconds"])
    found = driver.execute_script(senses.FIRST_PAINT)
    print(f"{path}: first paint after {found['requests']} requests, {found['bytes']} bytes, {found['milliseconds'] / 1000:.1f} s")
    checks.expect(found["requests"] <= 3, f"it waits for {found['names']}")
    checks.expect(found["bytes"] < checks.HEAVIEST, f"it waits for {found['bytes']} bytes")


def main(folder, tools):
    stack = Stack(folder)
    passed = failed = 0
    try:
        prepare(stack)
        for group in (by_keyboard(stack), magnified(stack), without_style_sheet(stack, tools), from_right_to_left(stack, tools),
                      over_a_slow_network(stack)):
            started = time.monotonic()
            more_passed, more_failed = run(group)
            passed, failed = passed + more_passed, failed + more_failed
            print(f"{group.__name__}: {time.monotonic() - started:.0f} s", flush=True)
    finally:
        stack.remove(SLUG)
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
