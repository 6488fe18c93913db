#!/usr/bin/python3
"""Pages that show what nobody should have written: hostile_test.py STACK_FOLDER TOOLS_FOLDER"""

import json
import os
import pathlib
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))

from browser import browser, set_width  # noqa: E402  (found by the line above)
import checks  # noqa: E402
from pages_test import run  # noqa: E402
from running_stack import numbers  # noqa: E402
from stack import Stack  # noqa: E402

MARKUP = "</title></script><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'`{{site_name}}{{{name}}}"
# What turns the direction of text is refused at the entrance; letters that are read from the right are not.
MIRRORED = "\u05e9\u05dc\u05d5\u05dd \u200fgnol yrev"
LONG = "x" * 200
FILES = 950
PLUGINS = 100_000
SLOWEST = 0.3  # seconds of a page alone, once its worker has read the index
SLUG = "web-hostile"
PLACE = {"repository": MARKUP}
SOME_TIME = "2024-05-06 07:08:09"

PAGES = ["/", "/plugins", "/plugins?q=%3Cscript%3Ealert(1)%3C/script%3E", f"/plugins/{SLUG}", "/addons", f"/addons/{SLUG}",
         f"/server?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,{SLUG}&plugins={SLUG}",
         f"/server?plugins={SLUG},%22%3E%3Cscript%3E", "/server?components=%3Cimg%20src=x%20onerror=alert(1)%3E&q=%22%3E%3Cb%3E",
         f"/server/compare?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,{SLUG}&plugins={SLUG}"
         "&from=components%3Danvil-engine",
         f"/feeds/server.atom?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,{SLUG}&plugins={SLUG}",
         "/feeds/plugins.atom", "/licenses", "/status"]


def write_plugin(folder):
    name = "a\"b'<img src=x onerror=alert(1)> &{{name}}.sma"
    source = f"// {MARKUP}\n// {MIRRORED}\n// {'y' * 10_000}\n#include <amxmodx>\npublic plugin_init() {{}}\n"
    (folder / "src").mkdir()
    (folder / "src/hostile.sma").write_text(source, encoding="utf-8")
    (folder / "src/note.txt").write_bytes(b"\xff\xfe not UTF-8 <b>\n" + "ü".encode() * 5000)
    document = {
        "slug": SLUG, "name": MARKUP + MIRRORED, "category": "fun", "author": MARKUP, "license": MARKUP, "status": "published",
        "tags": ["<script>alert(1)</script>", "\"onmouseover=alert(1)", MIRRORED.strip(), LONG[:60]], "downloads": 99_000_000,
        "versions": [{"version": "1.0", "files": [
            {"path": "src/hostile.sma", "filename": name, "install_dir": "addons/<b>/'\"", "primary": True},
            {"path": "src/note.txt", "filename": LONG + ".txt", "install_dir": "/".join(["deep"] * 40)}]}]}
    (folder / "plugin.json").write_text(json.dumps(document), encoding="utf-8")
    return name


def write_component(folder):
    with zipfile.ZipFile(folder / "release.zip", "w") as file:
        for number in range(FILES):
            file.writestr(f"cstrike/hostile/{number % 40}/file-{number}-<b>&amp;'.txt", f"{number}\n")
    document = {"slug": SLUG, "name": MARKUP, "description": MARKUP + MIRRORED + LONG, "layer": "content",
                "sort_order": 900, "advice": [MARKUP], "rules": [
                    {"rule": "recommends", "component": "bot-company", "note": MARKUP},
                    {"rule": "conflicts", "component": "stock-engine", "note": MARKUP}]}
    (folder / "component.json").write_text(json.dumps(document), encoding="utf-8")


def in_sql(document):
    return json.dumps(document).replace("\\", "\\\\").replace("'", "''")


def prepare(stack):
    """The name of the hostile file."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file_name = write_plugin(folder)
        write_component(folder)
        pack = {"slug": SLUG, "name": MARKUP, "description": MARKUP + MIRRORED + LONG, "status": "published",
                "plugins": [SLUG]}
        (folder / "pack.json").write_text(json.dumps(pack), encoding="utf-8")
        stack.publish(folder, SLUG)
    # What an import refuses may still be in an older database.
    place = {**PLACE, "folder": MARKUP, "gone_since": SOME_TIME, "problem": MARKUP + LONG, "problem_since": SOME_TIME}
    stack.sql(f"UPDATE goldsmith.plugins SET original_url = 'javascript:alert(1)//https://' WHERE slug = '{SLUG}';"
              f"UPDATE goldsmith.plugins SET upstream = '{in_sql(place)}'"
              f" WHERE slug = '{SLUG}';"
              "UPDATE goldsmith.plugin_versions v JOIN goldsmith.plugins p ON p.id = v.plugin_id SET v.origin ="
              f" '{in_sql({**PLACE, 'path': MARKUP + LONG, 'commit': MARKUP, 'time': SOME_TIME})}' WHERE p.slug = '{SLUG}';"
              f"UPDATE goldsmith.components SET homepage = 'JaVaScRiPt:alert(1)' WHERE slug = '{SLUG}';"
              "UPDATE goldsmith.revision SET value = value + 1")
    return file_name


def clean_up(stack):
    stack.sql("DELETE v FROM goldsmith.plugin_versions v JOIN goldsmith.plugins p ON p.id = v.plugin_id"
              " WHERE p.slug LIKE 'web-bulk-%'; DELETE FROM goldsmith.plugins WHERE slug LIKE 'web-bulk-%';"
              "DELETE FROM goldsmith.plugin_counters WHERE slug LIKE 'web-bulk-%'")
    stack.remove(SLUG)


def nothing_ran(driver):
    checks.expect("owned" != driver.title, "a script of the data ran")
    found = driver.execute_script("""
      return [...document.querySelectorAll('img[src=x], [onerror], [onmouseover], b, a[href^="javascript" i]')]
        .map((each) => each.outerHTML);""")
    checks.expect(not found, f"markup of the data became elements: {found}")


def in_the_browser(stack, tools, file_name):
    source = f"/plugins/{SLUG}/1.0/" + "".join(f"%{byte:02X}" for byte in file_name.encode())
    with browser() as driver:
        for path in [*PAGES, source, f"/plugins/{SLUG}/1.0/{LONG}.txt"]:
            set_width(driver, 1280, 900)
            driver.get(stack.origin + path)
            time.sleep(0.2)
            yield path, "runs nothing", lambda: nothing_ran(driver)
            yield path, "has a clean console", lambda: checks.console_is_clean(driver)
            if ".atom" not in path:
                yield path, "is accessible", lambda: checks.has_no_axe_violation(driver, tools)
                set_width(driver, checks.NARROWEST, 640)
                yield path, "fits narrow screens", lambda: checks.fits_narrow_screens(driver)
                yield path, "is valid HTML", lambda: checks.is_valid_html(stack.get(path)[2].decode("utf-8"))


def is_quick(stack, path):
    """The best of some tries: other tests may run beside this one."""
    best = SLOWEST
    for _ in range(5):
        start = time.monotonic()
        status = stack.get(path, {"Accept-Encoding": "gzip"})[0]
        best = min(best, time.monotonic() - start)
        checks.expect(status == 200, f"the answer is {status}")
    checks.expect(best < SLOWEST, f"it takes more than {SLOWEST} s")


def many_plugins(stack):
    stack.sql("INSERT INTO goldsmith.plugins (slug, name, category, author, license, original_url, toolchain, status,"
              " rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
              " SELECT CONCAT('web-bulk-', seq), CONCAT('Bulk ', seq), CONCAT('bulk-', seq % 20), '', '', '', '1.10', 'published',"
              " 0, 0, seq * 7919 % 1000, '1.0', CONCAT('bulk ', seq, CHAR(31)), '2024-01-01 00:00:00'"
              f" FROM {numbers(1, PLUGINS)};"
              "INSERT INTO goldsmith.plugin_versions (plugin_id, version, created_at, status) SELECT id, '1.0',"
              " '2022-01-01' + INTERVAL id SECOND, 'published' FROM goldsmith.plugins WHERE slug LIKE 'web-bulk-%';"
              "UPDATE goldsmith.revision SET value = value + 1")
    time.sleep(2.5)  # until every worker has seen it
    for path in ("/", "/plugins", "/plugins?q=bulk+77", "/plugins?category=bulk-3&page_n=90", "/plugins/web-bulk-7",
                 "/feeds/plugins.atom", "/sitemap.xml", "/sitemap.xml?page_n=2", "/server?q=bulk"):
        yield path, "is quick beside 100,000 plugins", lambda: is_quick(stack, path)


def main(folder, tools):
    stack = Stack(folder)
    passed = failed = 0
    try:
        file_name = prepare(stack)
        for group in (in_the_browser(stack, tools, file_name), many_plugins(stack)):
            more_passed, more_failed = run(group)
            passed, failed = passed + more_passed, failed + more_failed
    finally:
        clean_up(stack)
    print(f"{passed} checks passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
