// Explains a log that was pasted, chosen or dropped, with what the page lists. Nothing of the log leaves the browser.

import { Explanation, read } from './explain.js';
import { numeral, tr, trPlural } from './language.js';

const byId = (id) => document.getElementById(id);
const log = byId('log');
const file = byId('log-file');
const status = byId('log-status');
const progress = byId('log-progress');
const explanation = byId('explanation');
const elements = [...document.querySelectorAll('[data-patterns]')];
const causes = elements.map(({ id, dataset }) => ({
  id, severity: dataset.severity, fallback: 'fallback' in dataset, patterns: JSON.parse(dataset.patterns),
}));
const ignored = JSON.parse(explanation.dataset.ignored);

let runs = 0; // a later one ends those before
let timer;

function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function answer({ id, first, line, count }) {
  const cause = byId(id);
  const place = count > 1
    ? trPlural('line {line}, and {n} more line', 'line {line}, and {n} more lines', count - 1, { line: numeral(first) })
    : tr('line {line}', { line: numeral(first) });
  return make('section', cause.dataset.severity === 'note' ? 'panel' : 'panel problem',
    make('h2', '', cause.querySelector('summary').textContent),
    make('p', 'facts', make('span', 'chip', cause.dataset.label), place),
    make('pre', 'log-line', make('code', '', line)),
    cause.querySelector('.prose').cloneNode(true));
}

function show(found, lines) {
  // The page lists the causes in the order of their severity.
  const order = new Map(elements.map(({ id }, place) => [id, place]));
  found.sort((a, b) => order.get(a.id) - order.get(b.id));
  explanation.replaceChildren(...found.map(answer));
  byId('nothing-known').hidden = found.length > 0;
  const all = trPlural('{n} line', '{n} lines', lines);
  const named = trPlural('{n} known cause', '{n} known causes', found.length);
  status.textContent = found.length
    ? tr('{causes} in {lines}, the gravest first:', { causes: named, lines: all })
    : tr('Nothing that is known here is in {lines}.', { lines: all });
}

function clear(text) {
  explanation.replaceChildren();
  byId('nothing-known').hidden = true;
  progress.hidden = true;
  status.textContent = text;
}

async function explain(source) {
  runs += 1;
  const own = runs;
  clear('');
  if (!(source.size ?? source.length)) return;
  const result = new Explanation(causes, ignored);
  const goOn = (share) => {
    if (own !== runs) return false;
    progress.hidden = share === 1;
    progress.firstChild.value = share;
    return true;
  };
  try {
    if (await read(source, result, goOn)) show(result.results(), result.lines);
  } catch {
    if (own === runs) clear(tr('The file cannot be read: it has changed, or is gone.'));
  }
}

log.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    file.value = '';
    explain(log.value);
  }, 300);
});

function explainFile(chosen) {
  if (!chosen) return;
  clearTimeout(timer);
  log.value = '';
  explain(chosen);
}

file.addEventListener('change', () => { explainFile(file.files[0]); });

// Elsewhere on the page the browser would open the file in its place.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    if (type === 'drop') explainFile(event.dataTransfer.files[0]);
  });
}

// What the browser has kept of a form.
if (log.value) explain(log.value);
