// Makes the server creator live: each change is checked at once, and the address bar always holds the selection.
import { render } from './lit-html.js';
import { Rules } from './creator-rules.js';
import { copyOf, fromForm, fromQuery, toForm, toQuery } from './creator-state.js';
import {
  counted, emptyView, filesView, foundView, pickedView, planView, previewView, problemsView, readableSize, warningView,
} from './creator-view.js';
import { lineDiff } from './line-diff.js';
import { useKeys } from './hot-keys.js';

const form = document.getElementById('creator');
const places = Object.fromEntries(['result', 'preview-place', 'files', 'picked', 'found', 'announcement', 'filter',
  'plugin-search'].map((id) => [id, document.getElementById(id)]));
const drawn = new WeakSet();

let catalog;
let rules;
let state;
let plan;
let pending;

// The first time, what the server has sent gives way.
function draw(place, content) {
  if (!drawn.has(place)) place.replaceChildren();
  drawn.add(place);
  render(content, place);
}

const announce = (text) => { places.announcement.textContent = text; };
const query = () => toQuery(state, catalog);

async function ask(path, signal) {
  const response = await fetch(`/v1/${path}`, { signal, credentials: 'omit' });
  return response.json();
}

function showRules() {
  for (const place of form.querySelectorAll('.component')) {
    const component = rules.components.get(place.dataset.component);
    if (!component?.selectable) continue;
    const why = rules.obstacle(component, state);
    place.querySelector('.why').textContent = why;
    place.classList.toggle('blocked', why !== '' && !state.components.has(component.slug));
  }
}

function showFiles() {
  document.getElementById('files-panel').hidden = !plan;
  if (plan) draw(places.files, filesView(plan.files, query(), places.filter.value));
}

// They have the selection as it was made: what is not pinned follows the latest version.
function showRecipes() {
  const recipes = document.getElementById('recipes');
  recipes.hidden = !plan;
  const suffix = query() && `?${query()}`;
  for (const place of recipes.querySelectorAll('[data-selection]')) {
    place.textContent = suffix && suffix + place.dataset.selection;
  }
  for (const link of recipes.querySelectorAll('a[href^="/server/"]')) link.search = suffix;
}

function pinAll() {
  const next = copyOf(state);
  for (const component of plan.components) {
    if (next.components.has(component.slug)) next.components.set(component.slug, component.version);
  }
  change(next);
}

const unanswered = {
  rate_limited: (answer) => `The service is busy. It can be tried again in ${counted(answer.retry_after, 'second', 'seconds')}.`,
  api_disabled: () => 'The service is switched off at the moment: nothing can be downloaded.',
  compiler_unavailable: () => 'The plugins cannot be compiled at the moment.',
  bad_request: (answer) => answer.reason ?? 'The selection is too large.',
};

function showAnswer(answer) {
  plan = answer.status ? answer : undefined;
  if (plan) {
    draw(places.result, planView(plan, { query: query(), pinned: ![...state.components.values()].includes(''), pinAll }));
    announce(`The selection works: ${counted(plan.file_count, 'file', 'files')}, ${readableSize(plan.total_bytes)}.`);
  } else if (answer.error === 'invalid_selection') {
    const problems = rules.problems(answer, state);
    draw(places.result, problemsView(problems, (solution) => { change(solution.state); }));
    announce(`${counted(problems.length, 'problem', 'problems')}: ${problems.map((each) => each.text).join(' ')}`);
  } else if (answer.error === 'empty_selection') {
    draw(places.result, emptyView());
    announce('Nothing is chosen.');
  } else {
    const text = unanswered[answer.error]?.(answer) ?? 'The service did not answer. Please try again in a moment.';
    draw(places.result, warningView(text));
    announce(text);
  }
  showFiles();
  showRecipes();
}

async function resolve() {
  pending?.abort();
  const own = new AbortController();
  pending = own;
  places.result.classList.add('busy');
  const suffix = query();
  let answer;
  try {
    answer = await ask(`server-builder/resolve${suffix ? `?${suffix}` : ''}`, own.signal);
  } catch (error) {
    if (own.signal.aborted) return;
    answer = { status: false, error: 'unavailable' };
  }
  if (own.signal.aborted) return;
  places.result.classList.remove('busy');
  showAnswer(answer);
}

// By slug, as the page and searches showed them.
const pluginNames = new Map([...places.picked.querySelectorAll('input')]
  .map((box) => [box.value, box.labels[0].textContent.trim()]));

function showPlugins() {
  const chosen = [...state.plugins].sort().map((slug) => ({ slug, name: pluginNames.get(slug) ?? slug }));
  draw(places.picked, pickedView(chosen, choosePlugin));
}

function choosePlugin(slug, chosen) {
  const next = copyOf(state);
  if (chosen) next.plugins.add(slug);
  else next.plugins.delete(slug);
  change(next);
  places['plugin-search'].focus();
}

function show() {
  toForm(form, state);
  showRules();
  showPlugins();
  draw(places['preview-place'], '');
  search();
  resolve();
}

function change(next) {
  state = next;
  const suffix = query();
  history.pushState(null, '', `/server${suffix ? `?${suffix}` : ''}`);
  show();
}

let searching;
async function search() {
  searching?.abort();
  const text = places['plugin-search'].value.trim();
  if (!text) {
    draw(places.found, '');
    return;
  }
  const own = new AbortController();
  searching = own;
  try {
    const answer = await ask(`plugins?per_page=12&q=${encodeURIComponent(text)}`, own.signal);
    if (own.signal.aborted) return;
    const found = (answer.plugins ?? []).filter((plugin) => !state.plugins.has(plugin.slug));
    for (const plugin of found) pluginNames.set(plugin.slug, plugin.name);
    draw(places.found, foundView(found, choosePlugin));
    announce(`${counted(found.length, 'plugin', 'plugins')} found.`);
  } catch {
    // Another search follows, or the service is away: the list stays.
  }
}

function later(task, milliseconds) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(task, milliseconds);
  };
}

async function fileOf(selection, path) {
  const suffix = toQuery(selection, catalog);
  const answer = await ask(`server-builder/file?${suffix ? `${suffix}&` : ''}path=${encodeURIComponent(path)}`);
  return answer.status ? answer.file : undefined;
}

// An edited file is shown as it differs from the one of its project.
async function preview(path, link) {
  const file = await fileOf(state, path);
  if (!file) {
    announce('The file cannot be shown.');
    return;
  }
  const original = file.origin === 'edited' ? await fileOf({ ...state, optimized: false }, path) : file;
  const diff = file.binary ? [] : lineDiff(original?.content ?? '', file.content);
  const close = () => {
    draw(places['preview-place'], '');
    if (link.isConnected) link.focus();
  };
  draw(places['preview-place'], previewView({ file, diff }, close));
  document.getElementById('preview').focus();
}

function onChange({ target }) {
  const component = target.closest('.component')?.dataset.component;
  if (component) {
    let next = copyOf(state);
    const version = target.name === 'pin' ? target.value.split('@')[1] ?? '' : next.components.get(component) ?? '';
    const chosen = target.name === 'pin' ? version !== '' || state.components.has(component) : target.checked;
    next = chosen ? rules.with(next, component) : rules.without(next, component);
    if (chosen) next.components.set(component, version);
    change(next);
  } else if (target.name === 'optimized') {
    change({ ...copyOf(state), optimized: target.checked });
  } else if (target.name === 'plugins' && !drawn.has(places.picked)) {
    choosePlugin(target.value, target.checked);
  }
}

function onClick(event) {
  const link = event.target.closest('.file a');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  preview(link.closest('.file').dataset.path, link);
}

async function start() {
  try {
    catalog = await ask('server-builder/meta');
  } catch {
    catalog = { status: false };
  }
  if (!catalog.status) {
    // The form works without.
    document.documentElement.classList.remove('js');
    return;
  }
  rules = new Rules(catalog);
  state = fromForm(form);
  showRules();
  form.addEventListener('change', onChange);
  form.addEventListener('submit', (event) => { event.preventDefault(); });
  form.addEventListener('click', onClick);
  places['plugin-search'].addEventListener('input', later(search, 200));
  // The files that the server has sent are filtered once they are known here, too.
  places.filter.addEventListener('input', later(async () => {
    if (plan) showFiles();
    else await resolve();
  }, 150));
  addEventListener('popstate', () => {
    state = fromQuery(location.search, catalog);
    show();
  });
  useKeys({
    '/': () => { places['plugin-search'].focus(); },
    f: () => { places.filter.focus(); },
    o: () => { change({ ...copyOf(state), optimized: !state.optimized }); },
    d: () => { document.getElementById('download')?.click(); },
  });
  form.dataset.live = '';
}

start();
