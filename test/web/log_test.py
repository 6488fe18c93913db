#!/usr/bin/python3
"""The page that explains logs: log_test.py STACK_FOLDER TOOLS_FOLDER"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser import browser, set_width
import checks
from pages_test import run
from stack import Stack

WAIT = 60  # seconds
WAD = "FATAL ERROR (shutting down): TEX_InitFromWad: couldn't open chateau.wad"
SALT = "[REUNION]: SteamIdHashSalt is not set or too short"
LOG = f"Console initialized.\n{SALT}\n{WAD}\n{WAD}\nSegmentation fault\ncouldn't exec listip.cfg\n"
FOUND = [("A map needs a texture file that is missing", "Stops the server line 3, and 1 more line", WAD),
         ("Reunion has no salt", "Breaks a part line 2", SALT),
         ("Some lines look bad and are not", "Good to know line 6", "couldn't exec listip.cfg")]
SUMMARY = "3 known causes in 6 lines, the gravest first:"


class Page:
    """It as somebody uses it."""

    def __init__(self, driver, stack):
        self.driver, self.stack = driver, stack

    def open(self):
        self.driver.get(self.stack.origin + "/log")

    def paste(self, text):
        self.driver.execute_script("""
          const log = document.getElementById('log');
          log.value = arguments[0];
          document.getElementById('log-status').textContent = '';
          log.dispatchEvent(new InputEvent('input', { bubbles: true }));""", text)

    def choose(self, path):
        self.driver.find_element(By.ID, "log-file").send_keys(str(path))

    def says(self, text):
        try:
            WebDriverWait(self.driver, WAIT).until(lambda _: self.status() == text)
        except Exception as error:
            raise checks.Failure(f"it does not say “{text}” but “{self.status()}”") from error

    def status(self):
        return self.driver.find_element(By.ID, "log-status").text

    def found(self):
        return [tuple(" ".join(text.split()) for text in each) for each in self.driver.execute_script("""
          return [...document.querySelectorAll('#explanation > section')].map((each) =>
            ['h2', '.facts', '.log-line'].map((part) => each.querySelector(part).innerText));""")]

    def finds(self, expected):
        try:
            WebDriverWait(self.driver, WAIT).until(lambda _: self.found() == expected)
        except Exception as error:
            raise checks.Failure(f"it finds {self.found()}") from error


def known(stack):
    return stack.json("/server/log-causes.json")["causes"]


def explains_what_is_pasted(page):
    page.open()
    page.driver.find_element(By.ID, "log").send_keys(LOG)
    page.says(SUMMARY)
    page.finds(FOUND)
    text = page.driver.find_element(By.ID, "explanation").text
    checks.expect("Upload the .wad that the line names to cstrike" in text, text)
    page.paste("")
    page.says("")
    page.finds([])


def explains_a_file(page):
    page.open()
    with tempfile.TemporaryDirectory() as folder:
        for encoding in ("utf-8", "utf-16", "latin-1"):
            file = pathlib.Path(folder, f"{encoding}.log")
            file.write_bytes(LOG.replace("initialized", "\u00e4").replace("\n", "\r\n").encode(encoding) + b"\x00\xff\x80\n" * 3)
            page.choose(file)
            page.says(SUMMARY.replace("6 lines", "9 lines"))
            page.finds(FOUND)


def explains_a_large_file(page):
    """In pieces: it stays usable, and the next log ends the one before."""
    page.open()
    with tempfile.TemporaryDirectory() as folder:
        large = pathlib.Path(folder, "large.log")
        with large.open("wb") as file:
            for _ in range(40):
                file.write(b'L 03/14/2025 - 16:05:09: Server cvar "mp_timelimit" = "20"\n' * 15_000)
            file.write(WAD.encode())
        page.choose(large)
        WebDriverWait(page.driver, WAIT).until(lambda _: page.driver.find_element(By.ID, "log-progress").is_displayed())
        page.paste(LOG)
        page.says(SUMMARY)
        checks.expect(not page.driver.find_element(By.ID, "log-progress").is_displayed(), "it goes on reading")
        page.choose(large)
        page.says("1 known cause in 600,001 lines, the gravest first:")
        page.finds([(FOUND[0][0], "Stops the server line 600,001", WAD)])


def nothing_is_sent(page):
    page.open()
    page.paste("x")  # its module comes with the first log
    page.says("Nothing that is known here is in 1 line.")
    page.driver.get_log("performance")
    page.paste(LOG)
    page.says(SUMMARY)
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        file.write(LOG.encode())
        file.flush()
        page.choose(file.name)
        page.says(SUMMARY)
    asked = [message["params"]["request"]["url"] for message in
             (json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance"))
             if message["method"] == "Network.requestWillBeSent"]
    checks.expect(not asked, f"it asks for {asked}")
    kept = page.driver.execute_script("return JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href")
    checks.expect("chateau" not in kept, kept)


def says_who_has_a_name(page):
    """The list is asked for once, and without anything of the log."""
    page.open()
    page.driver.get_log("performance")
    for name, count in (("quarry_is_ready", 1), ("Quarry_is_ready", 1)):
        page.paste(f'a.sma(1) : error 017: undefined symbol "{name}"')
        page.says("1 known cause in 1 line, the gravest first:")
        told = page.driver.find_element(By.CSS_SELECTOR, "#explanation li").text
        checks.expect(told.startswith(f"{name} is in Quarry API, quarry.inc" if name[0] == "q" else f"{name} is in nothing that"), told)
    asked = [message["params"]["request"] for message in
             (json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance"))
             if message["method"] == "Network.requestWillBeSent"]
    lists = [each for each in asked if not each["url"].endswith("/log.wasm")]
    checks.expect([(each["url"], each["method"]) for each in lists] == [(page.stack.origin + "/server/known-names.txt", "GET")] * count, lists)


def a_hostile_log_is_text(page):
    page.open()
    line = f"<img src=x onerror=\"document.title='owned'\"></code>\x1b[31m\u202e{{{{x}}}}{WAD}"
    page.paste(f"{line}\n\"{WAD}<3><STEAM_0:1:4><CT>\" say \"{SALT}\"\n")
    page.says("1 known cause in 2 lines, the gravest first:")
    page.finds([(FOUND[0][0], "Stops the server line 1", line.replace("\x1b", "").replace("\u202e", ""))])
    checks.expect(page.driver.title.startswith("Explain my log"), page.driver.title)
    checks.console_is_clean(page.driver)


def nothing_known_is_said(page):
    page.open()
    page.paste("all is well\n")
    page.says("Nothing that is known here is in 1 line.")
    checks.expect(page.driver.find_element(By.ID, "nothing-known").is_displayed(), "there is no advice")
    page.paste(LOG)
    page.says(SUMMARY)
    checks.expect(not page.driver.find_element(By.ID, "nothing-known").is_displayed(), "there is advice")


def an_explained_log_is_accessible(page, tools):
    for width in (1280, checks.NARROWEST):
        set_width(page.driver, width, 900)
        page.open()
        page.paste(LOG + "x" * 500 + WAD)
        page.says("3 known causes in 7 lines, the gravest first:")
        checks.has_no_axe_violation(page.driver, tools)
        checks.fits(page.driver, width)
    set_width(page.driver, 1280, 900)


def every_cause_is_listed(page):
    """With the words of the data, whatever Markdown makes of them."""
    page.open()
    shown = page.driver.execute_script("""
      return [...document.querySelectorAll('details.cause')].map((each) => [each.id, each.querySelector('summary').textContent,
        [...each.querySelectorAll('.prose p')].map((part) => part.textContent).join('|')]);""")
    expected = [[cause["id"], cause["title"],
                 "|".join([cause["cause"].replace("`", ""), "What to do", cause["remedy"].replace("`", ""),
                           *([cause["link"]["text"]] if "link" in cause else [])])] for cause in known(page.stack)]
    checks.expect(sorted(shown) == sorted(expected), [each for each in shown if each not in expected][:3])


def the_script_says_the_same(page):
    """As the page tells to run it."""
    page.open()
    command = page.driver.find_element(By.CSS_SELECTOR, "#terminal code").text
    trust = {**os.environ, "CURL_CA_BUNDLE": os.path.join(page.stack.folder, "etc/tls/cert.pem")}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "qconsole.log").write_text(LOG, encoding="utf-8")
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=trust, capture_output=True, text=True, check=False, timeout=60)
    checks.expect((done.returncode, done.stderr) == (1, ""), f"it ends with {done.returncode}: {done.stderr}")
    titles = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.split(": ")[0].isupper()]
    checks.expect(titles == [title for title, _, _ in FOUND], titles)


def without_webassembly_it_points_to_the_script(driver, stack):
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.WebAssembly"})
    page = Page(driver, stack)
    page.open()
    checks.expect(driver.find_element(By.ID, "no-module").is_displayed(), "it does not say that it reads no log")
    checks.expect(not driver.find_elements(By.ID, "log"), "there is a field for a log")
    checks.expect(driver.find_element(By.CSS_SELECTOR, "#terminal code").is_displayed(), "the script is not named")


def links_open_a_cause(page):
    page.driver.get(page.stack.origin + "/log#reunion-salt")
    checks.expect(page.driver.find_element(By.CSS_SELECTOR, "#reunion-salt .prose").is_displayed(), "it is closed")


def log_checks(stack, tools):
    with browser() as driver:
        page = Page(driver, stack)
        yield "the page of logs", "explains what is pasted", lambda: explains_what_is_pasted(page)
        yield "the page of logs", "explains a file of any encoding", lambda: explains_a_file(page)
        yield "the page of logs", "explains a large file", lambda: explains_a_large_file(page)
        yield "the page of logs", "sends nothing", lambda: nothing_is_sent(page)
        yield "the page of logs", "says who has a name", lambda: says_who_has_a_name(page)
        yield "the page of logs", "shows a hostile log as text", lambda: a_hostile_log_is_text(page)
        yield "the page of logs", "says that nothing is known", lambda: nothing_known_is_said(page)
        yield "the page of logs", "is accessible with an explanation", lambda: an_explained_log_is_accessible(page, tools)
        yield "the page of logs", "lists every cause", lambda: every_cause_is_listed(page)
        yield "the page of logs", "opens a cause that the address names", lambda: links_open_a_cause(page)
        yield "the script", "says the same", lambda: the_script_says_the_same(page)
        yield "the page of logs", "has a clean console", lambda: checks.console_is_clean(driver)
    with browser() as driver:
        yield "the page of logs", "points to the script without WebAssembly", lambda: without_webassembly_it_points_to_the_script(driver, stack)


def main(folder, tools):
    passed, failed = run(log_checks(Stack(folder), tools))
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
