"""What holds for every page in the browser."""

import json
import pathlib
import subprocess
import tempfile
from urllib.parse import unquote, urljoin, urlsplit

import html5lib

KILOBYTE = 1000
HEAVIEST = 60 * KILOBYTE  # of a first load, compressed, without pictures
NARROWEST = 320

# Sum of all layout shifts so far; those that follow an input of the user do not count.
SHIFTS = """
return new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(sum), 150);
});
"""

AXE = """
const done = arguments[arguments.length - 1];
const rules = Object.fromEntries(arguments[0].map((each) => [each, { enabled: false }]));
axe.run(document, { runOnly: arguments[1], rules, resultTypes: ['violations'] })
  .then((found) => done(found.violations.map((each) =>
    `${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map((node) => node.html).join(' | ')}`)),
    (error) => done([`axe: ${error}`]));
"""


# What axe looks at: everything, or what depends on colours alone.
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE_COLOURS = ["color-contrast", "link-in-text-block"]


class Failure(Exception):
    """What is wrong with a page; its text is for people."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def is_refused(check, reason):
    """That a check fails, for a reason that has this in it."""
    try:
        check()
    except Failure as failure:
        expect(reason in str(failure), str(failure))
    else:
        raise Failure("it is not")


def console_is_clean(driver, may_fail=()):
    """No message of the page or of the browser about it, but for failed requests of these paths."""
    found = [entry["message"] for entry in driver.get_log("browser")
             if not any(path in entry["message"] and "Failed to load resource" in entry["message"] for path in may_fail)]
    expect(not found, "the console has: " + "\n".join(found))


def has_no_axe_violation(driver, tools, but_for=(), rules=AXE_RULES):
    source = (pathlib.Path(tools) / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    driver.execute_script(source)
    found = driver.execute_async_script(AXE, list(but_for), list(rules))
    expect(not found, "axe finds: " + "\n".join(found))


def follows_the_content_model(pages, tools):
    """Of HTML: which element may be where, which attributes it has. `pages`: texts by path."""
    with tempfile.TemporaryDirectory(prefix="goldsmith-html-") as folder:
        names = {f"{number}.html": path for number, path in enumerate(pages)}
        for name, path in names.items():
            pathlib.Path(folder, name).write_text(pages[path], encoding="utf-8")
        pathlib.Path(folder, ".htmlvalidate.json").write_text(
            json.dumps({"root": True, "extends": ["html-validate:standard"]}), encoding="utf-8")
        done = subprocess.run(["node", pathlib.Path(tools, "node_modules/html-validate/bin/html-validate.js").resolve(),
                               "--formatter", "json", "."], cwd=folder, capture_output=True, text=True, check=False)
        expect(done.returncode in (0, 1) and done.stdout, f"html-validate did not run: {done.stderr}")
        findings = [f"{names[pathlib.Path(page['filePath']).name]}: line {each['line']}: {each['message']}"
                    for page in json.loads(done.stdout) for each in page["messages"]]
    expect(not findings, "\n".join(findings[:10]))


def links_lead_to_their_anchors(pages, origin, read):
    """Each link with a fragment, to one of these pages or another of `origin`. `pages`: texts by path; `read(path)`: a text."""
    found = {(path, urljoin(origin + path, element.get("href"))) for path, text in pages.items()
             for element in html5lib.parse(text, namespaceHTMLElements=False).iter("a") if "#" in element.get("href", "")}
    ids, broken = {}, []
    for path, url in sorted(found):
        parts = urlsplit(url)
        if not url.startswith(origin + "/"):
            continue
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        if target not in ids:
            document = html5lib.parse(pages.get(target) or read(target), namespaceHTMLElements=False)
            ids[target] = {element.get("id") for element in document.iter()}
        if unquote(parts.fragment) not in ids[target]:
            broken.append(f"{path} links to {target}#{parts.fragment}")
    expect(found, "no link has a fragment")
    expect(not broken, "\n".join(broken[:10]))


def is_valid_html(text):
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    document = parser.parse(text)
    errors = [f"{position}: {code} {data}" for position, code, data in parser.errors]
    expect(not errors, "the HTML is invalid: " + "\n".join(errors[:5]))
    ids = [element.get("id") for element in document.iter() if element.get("id")]
    twice = {each for each in ids if ids.count(each) > 1}
    expect(not twice, f"ids are used twice: {twice}")
    for name in ("style", "script"):
        inline = [element for element in document.iter(name)
                  if not element.get("src") and element.get("type") != "application/ld+json"]
        expect(not inline, f"there is an inline {name}")
    handlers = [key for element in document.iter() if isinstance(element.tag, str) for key in element.attrib
                if key.startswith("on") or key == "style"]
    expect(not handlers, f"there are attributes {handlers}")


def fits(driver, screen):
    width = driver.execute_script("return document.documentElement.scrollWidth")
    expect(width <= screen, f"the page is {width} pixels wide on a screen of {screen}")


def fits_narrow_screens(driver):
    fits(driver, NARROWEST)


def does_not_shift(driver):
    shift = driver.execute_script(SHIFTS)
    expect(shift < 0.005, f"the layout shifts by {shift}")


def transferred(driver, origin):
    """Bytes of all answers since the last call, compressed, without pictures; no other host is asked."""
    total, kinds = 0, {}
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        parameters = message["params"]
        if message["method"] == "Network.responseReceived":
            url = parameters["response"]["url"]
            expect(url.startswith((origin, "data:", "blob:")), f"another host is asked: {url}")
            kinds[parameters["requestId"]] = parameters["type"]
        elif message["method"] == "Network.loadingFinished" and kinds.get(parameters["requestId"]) != "Image":
            total += parameters["encodedDataLength"]
    return total


def is_light(driver, origin):
    total = transferred(driver, origin)
    expect(total < HEAVIEST, f"the first load is {total} bytes")
