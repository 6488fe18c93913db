"""What holds of a page for who does not see, point or load it as its author did. Each is run in the page."""

import collections

from checks import expect

# Of a document in a browser: what Tab should stop at, in that order, and what it stopped at.
FOLLOW_FOCUS = """
const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((each) =>
  each.tabIndex >= 0 && !each.disabled && each.type !== 'hidden' && each.checkVisibility({ checkVisibilityCSS: true }));
window.focused = [];
document.addEventListener('focusin', ({ target }) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  const box = target.getClientRects()[0];
  const top = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  focused.push({ place: stops.indexOf(target), html: target.outerHTML.slice(0, 150),
    outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    uncovered: Boolean(top) && (target.contains(top) || top.contains(target)) });
});
return stops.length;
"""

# Areas that stay on the screen while it scrolls, as a share of the screen.
STICKY = """
scrollTo(0, document.documentElement.scrollHeight / 2);
return [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
    && ['fixed', 'sticky'].includes(getComputedStyle(each).position)).map((each) => {
  const box = each.getBoundingClientRect();
  const seen = (low, high, most) => Math.max(0, Math.min(high, most) - Math.max(low, 0));
  return { html: each.outerHTML.slice(0, 150), share: seen(box.left, box.right, innerWidth) * seen(box.top, box.bottom, innerHeight)
    / innerWidth / innerHeight };
}).filter((each) => each.share > 1 / 3).map((each) => `${Math.round(each.share * 100)} %: ${each.html}`);
"""

# Words of a line that stand left of one that comes before them in the text. What is isolated, as <bdi> is, counts as one word.
REORDERED = """
const isolated = 'bdi, [dir], pre, code, input, option, textarea';
const unseen = '.sr'; // it is heard, in the order of the text
const found = [];
function boxes(node, list) {
  if (node.nodeType === Node.TEXT_NODE) {
    for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      for (const box of range.getClientRects()) list.push({ box, word });
    }
  } else if (node.nodeType === Node.ELEMENT_NODE && node.checkVisibility() && !node.matches(unseen)) {
    const { display } = getComputedStyle(node);
    if (display !== 'inline') list.push(null);
    if (node.matches(isolated)) {
      for (const box of node.getClientRects()) list.push({ box, word: node.textContent });
    } else {
      for (const child of node.childNodes) boxes(child, list);
    }
    if (display !== 'inline') list.push(null);
  }
  return list;
}
let before = null;
for (const each of boxes(document.body, [])) {
  if (before && each && Math.abs(before.box.top - each.box.top) < 4 && each.box.left < before.box.right - 2) {
    found.push(`"${each.word}" stands before "${before.word}"`);
  }
  before = each;
}
return found;
"""

FIRST_PAINT = """
const { transferSize } = performance.getEntriesByType('navigation')[0];
const blocking = performance.getEntriesByType('resource').filter((each) => each.renderBlockingStatus === 'blocking');
return { milliseconds: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
  requests: 1 + blocking.length, bytes: blocking.reduce((sum, each) => sum + each.transferSize, transferSize),
  names: blocking.map((each) => new URL(each.name).pathname) };
"""


def focus_goes_everywhere(driver, press):
    """Tab stops at everything that can be used, in the order of the text, visibly, and gets out again."""
    count = driver.execute_script(FOLLOW_FOCUS)
    press(driver, "Tab", count + 1)
    stops = driver.execute_script("return focused")
    expect(count, "there is nothing to use")
    expect([each["place"] for each in stops[:count]] == list(range(count)),
           f"focus goes elsewhere: {[each for number, each in enumerate(stops[:count]) if each['place'] != number][:3]} of {count}")
    expect(len(stops) == count or stops[count]["place"] == 0, f"focus stays at {stops[-1]}")
    for quality in ("outlined", "uncovered"):
        lacking = [each["html"] for each in stops if not each[quality]]
        expect(not lacking, f"not {quality}: {lacking[:3]}")


def keeps_most_of_the_screen(driver):
    found = driver.execute_script(STICKY)
    expect(not found, f"the screen is covered: {found}")


def reads_from_left_to_right(driver):
    """The text around names that are written from right to left."""
    found = driver.execute_script(REORDERED)
    expect(not found, "; ".join(found[:5]))


def words(driver):
    """Without those of what scripts alone can answer: it is not there without a style sheet."""
    driver.execute_script("for (const each of document.querySelectorAll('.js-only, .theme')) each.remove()")
    return driver.execute_script("return document.body.innerText").split()


def has_the_words(driver, styled):
    """What is two words with a style sheet is two without."""
    expect(driver.execute_script("return getComputedStyle(document.body).marginTop") == "8px", "there is a style sheet")
    lacking = collections.Counter(styled) - collections.Counter(words(driver))
    expect(not lacking, f"lacks {list(lacking)[:8]}")


def has_small_pictures(driver):
    found = driver.execute_script("""
      return [...document.querySelectorAll('img, svg')].filter((each) => each.getBoundingClientRect().width > 64)
        .map((each) => each.outerHTML.slice(0, 150));""")
    expect(not found, found)


def has_no_dead_controls(driver):
    """What only a script can answer."""
    found = driver.execute_script("""
      return [...document.querySelectorAll('button, input, select')].filter((each) => each.checkVisibility() && each.type !== 'hidden'
        && !each.form).map((each) => each.outerHTML.slice(0, 150));""")
    expect(not found, f"nothing answers {found[:3]}")
