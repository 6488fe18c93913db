#!/usr/bin/python3
"""The pages in every language: languages_test.py STACK_FOLDER TOOLS_FOLDER PROGRAMS

PROGRAMS is a folder with a worker that has one language beside English, en-XA: English with accents on its vowels, and 40 % longer.
What has none on a page of it is no text of a catalog.
"""

import pathlib
import re
import sys

from browser import browser, set_width
import checks
from pages_test import run
from stack import Stack

ROOT = pathlib.Path(__file__).resolve().parents[2]
PSEUDO = "en-XA"
PAGES = ["/", "/plugins?q=a", "/plugins/afk-watch", "/addons/public-server", "/server?plugins=afk-watch&optimized=1", "/server/compare",
         "/server/existing", "/log", "/names?q=MAX_PLAYERS", "/licenses", "/status", "/nothing-here"]
WIDTHS = [checks.NARROWEST, 1280]

# Texts that are read, without names and code, which are the same in all languages.
TEXTS = """
const same = 'script, style, code, pre, kbd, samp, bdi, time, textarea, [lang]:not(html), [translate=no]';
const found = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  if (node.parentElement.closest(same)) continue;
  if (node.nodeType === Node.TEXT_NODE) found.add(node.data.trim());
  else for (const name of ['aria-label', 'title', 'placeholder', 'alt']) if (node.hasAttribute(name)) found.add(node.getAttribute(name));
}
found.add(document.title);
return [...found].filter((each) => each);
"""

# Controls whose words are cut off, or stand beyond them.
CUT = """
return [...document.querySelectorAll('button, .button, nav a, th, summary, label')]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline')
  .map((each) => `${each.textContent.trim().slice(0, 60)} (${each.scrollWidth} of ${each.clientWidth} pixels)`);
"""

# Names that stand on pages without being data, and what ICU writes. Those in capitals are left out.
NAMES = set("""goldsmith amx mod sma amxx inc zip json counter strike github linux html atom openapi docker linuxgsm pterodactyl pelican gameap amp
    curl cfg ini txt yaml compose dockerfile egg csx dod ext byte jan feb mar apr may jun jul aug sep oct nov dec""".split())
WORD = re.compile(r"(?<!\w)[^\W\d_]{3,}(?!\w)")


def words_of(value):
    """All words of a JSON value."""
    if isinstance(value, dict):
        return set().union(*map(words_of, value), *map(words_of, value.values()))
    if isinstance(value, list):
        return set().union(*map(words_of, value))
    return set(WORD.findall(value.lower())) if isinstance(value, str) else set()


def words_of_data(stack):
    paths = ["/v1/plugins?per_page=100", "/v1/plugins/afk-watch", "/v1/addons", "/v1/addons/public-server", "/v1/server-builder/meta",
             "/v1/server-builder/resolve?plugins=afk-watch", "/v1/toolchains"]
    words = set().union(*(words_of(stack.json(path)) for path in paths))
    # The names of languages are their own.
    for url in re.findall(r'hreflang="[^"]+">([^<]+)<', stack.get("/")[2].decode("utf-8")):
        words |= words_of(url)
    return words | NAMES


def in_language(path, tag):
    return f"{path}{'&' if '?' in path else '?'}lang={tag}"


def fits(driver):
    driver.execute_script("scrollTo(0, 0)")
    checks.fits(driver, driver.execute_script("return innerWidth"))
    cut = driver.execute_script(CUT)
    checks.expect(not cut, "is cut off: " + "; ".join(cut[:5]))


def has_only_texts_of_catalogs(driver, data):
    found = [text for text in driver.execute_script(TEXTS)
             if any(word.isascii() and not word.isupper() and word.lower() not in data for word in WORD.findall(text))]
    checks.expect(not found, "is in no catalog: " + "; ".join(each[:80] for each in found[:8]))


def in_the_longer_english(stack):
    data = words_of_data(stack)
    with browser() as driver:
        for path in PAGES:
            driver.get(stack.origin + in_language(path, PSEUDO))
            yield path, "has only texts of catalogs", lambda: has_only_texts_of_catalogs(driver, data)
            for width in WIDTHS:
                set_width(driver, width, 900)
                yield path, f"fits {width} pixels with longer texts", lambda: fits(driver)
        driver.execute_script("document.querySelector('main h1').textContent = 'Forgotten words'")
        yield "a text of no catalog", "is noticed", lambda: checks.is_refused(
            lambda: has_only_texts_of_catalogs(driver, data), "Forgotten words")


def in_every_language(stack, tools):
    names = (ROOT / "handlers/po/LINGUAS").read_text(encoding="utf-8").split()
    with browser() as driver:
        for tag in (name.replace("_", "-").replace("@latin", "-Latn") for name in names):
            for path in PAGES:
                driver.get(stack.origin + in_language(path, tag))
                yield f"{path} ({tag})", "names its language", lambda: checks.expect(
                    driver.execute_script("return document.documentElement.lang") == tag, "it does not")
                for width in WIDTHS:
                    set_width(driver, width, 900)
                    yield f"{path} ({tag})", f"fits {width} pixels", lambda: fits(driver)
                # Colours are those of every language.
                yield f"{path} ({tag})", "is accessible", lambda: checks.has_no_axe_violation(driver, tools, but_for=checks.AXE_COLOURS)


def with_settings(stack, settings):
    """Starts the workers of the stack again, with these settings of the stack."""
    for pool in ("api", "build"):
        stack.command("pool", pool, "stop")
    pathlib.Path(stack.folder, "settings").write_text(settings, encoding="utf-8")
    for pool in ("api", "build"):
        stack.command("pool", pool, "start")


def main(folder, tools, programs):
    stack = Stack(folder)
    settings = pathlib.Path(folder, "settings").read_text(encoding="utf-8")
    results = [run(in_every_language(stack, tools))]
    with_settings(stack, f"{settings}bin={programs}\n")
    try:
        results.append(run(in_the_longer_english(stack)))
    finally:
        with_settings(stack, settings)
    passed, failed = map(sum, zip(*results))
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
