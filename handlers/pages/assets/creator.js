// Updates the server creator in place: each change fetches this page for the new selection and replaces what differs.
// The form works without this script.

import { keepLanguage, tr, trPlural } from './language.js';

const byId = (id) => document.getElementById(id);
const form = byId('creator');
const outcome = byId('outcome');
const filter = byId('filter');
const search = byId('plugin-search');

let shown = location.search; // query of the selection that is shown or requested
let request; // the latest one
let timer; // starts the next request
let opener; // button of the file in the preview

// Maps names to the children of an element. A child keeps its name when the selection changes.
function byName(parent) {
  const names = new Map();
  const counts = new Map();
  for (const node of parent.childNodes) {
    const item = node.nodeName === 'LI' ? node.querySelector('bdi')?.textContent : '';
    const name = `${node.nodeName} ${node.id || item || ''}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    names.set(`${name} ${count}`, node);
  }
  return names;
}

// Makes a node equal to `fresh`. Elements that stay keep focus and scroll position, and <details> their state.
function update(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (name !== 'open' && old.getAttribute(name) !== value) old.setAttribute(name, value);
  const wanted = byName(fresh);
  const present = byName(old);
  for (const [name, node] of present) if (!wanted.has(name)) node.remove();
  let place = old.firstChild;
  for (const [name, node] of wanted) {
    const same = present.get(name);
    if (same) update(same, node);
    if (same && same === place) place = place.nextSibling;
    else old.insertBefore(same ?? node, place);
  }
}

// Shows only the files whose path or origin contains the text of the filter, and opens their folders.
function showMatches() {
  const wanted = filter.value.trim().toLowerCase();
  for (const file of outcome.querySelectorAll('.file')) {
    const [button, origin] = file.children;
    file.hidden = !`${button.value} ${origin.textContent} ${origin.classList[1]}`.toLowerCase().includes(wanted);
  }
  for (const folder of outcome.querySelectorAll('.folder')) {
    const matching = folder.querySelectorAll('.file:not([hidden])').length;
    folder.parentElement.hidden = !matching;
    folder.open = wanted !== '' || folder.matches('#files > .tree > li > .folder');
    folder.querySelector('small').dataset.matching = wanted && tr('{n} of ', { n: matching });
  }
  byId('no-match').hidden = !wanted || outcome.querySelector('.file:not([hidden])') !== null;
}

// The query of the selection without what is only looked at.
const selectionOf = (page) => new URL(page.querySelector('link[rel=canonical]').href).search;

// Keeps the selection for the pages of plugins, whose button adds to it in its own language.
function remember(selection) {
  const fields = new URLSearchParams(selection);
  fields.delete('lang');
  try {
    localStorage.setItem('selection', fields.size ? `?${fields}` : '');
  } catch {
    // Storage is off: that button begins with the recommended server.
  }
}

function show(page) {
  update(byId('main'), page.getElementById('main'));
  for (const box of form.querySelectorAll('[type=checkbox][name]')) box.checked = box.defaultChecked;
  // An answer to an earlier change does not undo what is being typed.
  if (document.activeElement !== byId('cfg')) byId('cfg').value = byId('cfg').defaultValue;
  for (const pin of form.querySelectorAll('select')) pin.value = pin.querySelector('[selected]')?.value ?? '';
  if (filter.value.trim()) showMatches();
  shown = selectionOf(page);
  remember(shown);
  history.replaceState(null, '', `/server${shown}`);
}

function showFailure(text) {
  outcome.setAttribute('aria-busy', 'false');
  byId('announcement').textContent = text;
  const warning = document.createElement('p');
  warning.className = 'warning';
  warning.textContent = text;
  byId('result').replaceChildren(warning);
  byId('files-panel').hidden = true;
  byId('recipes').hidden = true;
}

// Sends a failed request again. The first failure has no message if the wait is short.
function retry(address, then, answer, isFirst) {
  const { status } = answer;
  if (status >= 400 && status < 500 && status !== 429) {
    showFailure(tr('The service cannot show this selection: it may be too large.'));
    return;
  }
  const seconds = Number(answer.getResponseHeader('Retry-After')) || 10;
  timer = setTimeout(send, seconds * 1000, address, then, false);
  if (isFirst && seconds <= 2) return;
  showFailure(status === 429
    ? trPlural('The service is busy. The page tries again in {n} second.',
      'The service is busy. The page tries again in {n} seconds.', seconds)
    : trPlural('The service does not answer. The page tries again in {n} second.',
      'The service does not answer. The page tries again in {n} seconds.', seconds));
}

function send(address, then, isFirst) {
  const own = new XMLHttpRequest();
  request = own;
  own.open('GET', address);
  own.responseType = 'document';
  own.onload = () => {
    if (own.status !== 200 || !own.response?.getElementById('creator')) {
      retry(address, then, own, isFirst);
      return;
    }
    show(own.response);
    then?.();
  };
  own.onerror = () => { retry(address, then, own, isFirst); };
  own.send();
}

// Fetches the page, with what the search finds, after a delay. Aborts the previous request: its answer would undo the
// change.
function load(address, milliseconds, then) {
  clearTimeout(timer);
  request?.abort();
  const url = new URL(address, location.href);
  if (search.value.trim()) url.searchParams.set('q', search.value);
  timer = setTimeout(send, milliseconds, url, then, true);
}

// The address of the page for what the form contains. Lists are joined by commas, as in the links of the page.
function addressOf(file) {
  const data = new FormData(form);
  data.delete(search.name);
  const names = [...new Set(data.keys())];
  const joined = names.map((name) => [name, data.getAll(name).filter(Boolean).join(',')]).filter(([, value]) => value);
  return `/server?${keepLanguage(new URLSearchParams(file ? [...joined, ['file', file]] : joined))}`;
}

function showSelection() {
  shown = location.search;
  outcome.setAttribute('aria-busy', 'true');
  load(location.href, 20);
}

function choose(address) {
  history.pushState(null, '', address);
  showSelection();
}

function onChange({ target }) {
  if (!target.name || target === search) return;
  const box = target.closest('.component')?.querySelector('[type=checkbox]');
  if (target.name === 'pin' && target.value) box.checked = true;
  if (box?.checked) {
    for (const other of box.closest('[data-exclusive]')?.querySelectorAll('[type=checkbox]') ?? []) other.checked = other === box;
  }
  if (target.name === 'plugins') search.focus();
  choose(addressOf());
}

function onSubmit(event) {
  event.preventDefault();
  const { submitter } = event;
  if (submitter?.name !== 'file') {
    load(addressOf(), 0);
    return;
  }
  opener = submitter;
  load(addressOf(submitter.value), 0, () => { byId('preview')?.focus(); });
}

function onClick(event) {
  const link = event.target.closest('a');
  if (link?.pathname !== '/server' || link.hash || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.id === 'close-preview') {
    byId('preview').remove();
    opener?.focus();
  } else {
    choose(link.href);
  }
}

// Single keys can be switched off because they get in the way of speech input.
function useKeys(actions) {
  const box = byId('use-keys');
  try {
    box.checked = localStorage.getItem('keys') !== 'off';
  } catch {
    // Storage is off: the keys are on.
  }
  box.addEventListener('change', () => {
    try {
      localStorage.setItem('keys', box.checked ? 'on' : 'off');
    } catch {
      // Storage is off: the setting is lost with the page.
    }
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target.matches?.('input:not([type=checkbox]), select, textarea');
    const action = actions[event.key];
    if (!action || !box.checked || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  });
}

form.addEventListener('change', onChange);
document.addEventListener('submit', onSubmit);
outcome.addEventListener('click', onClick);
search.addEventListener('input', () => { load(addressOf(byId('preview') && opener?.value), 200); });
filter.addEventListener('input', showMatches);
addEventListener('popstate', () => {
  if (location.search !== shown) showSelection();
});
useKeys({
  '/': () => { search.focus(); },
  f: () => { filter.focus(); },
  o: () => { form.elements.optimized.click(); },
  d: () => { byId('download')?.click(); },
});
if (location.search) remember(selectionOf(document));
document.documentElement.dataset.live = '';
