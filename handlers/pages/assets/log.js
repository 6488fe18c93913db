// Explains a log that was pasted, chosen or dropped, in the words of the page. Nothing of the log leaves the browser.

import { byId, make, onDrop } from './dom.js';
import { Damaged, explain } from './explain.js';
import { numeral, tr, trPlural } from './language.js';
import { Module } from './module.js';

const log = byId('log');
const file = byId('log-file');
const status = byId('log-status');
const progress = byId('log-progress');
const explanation = byId('explanation');

let starting; // the module, once there is a log
let runs = 0; // a later one ends those before
let timer;

// The same for everybody, and asked for without anything of the log.
async function learn() {
  const list = await fetch('/server/known-names.txt').catch(() => null);
  return list?.ok ? new Uint8Array(await list.arrayBuffer()) : null;
}

function answer({ id, first, line, count, facts }) {
  const cause = byId(id);
  const place = count > 1
    ? trPlural('line {line}, and {n} more line', 'line {line}, and {n} more lines', count - 1, { line: numeral(first) })
    : tr('line {line}', { line: numeral(first) });
  return make('section', cause.dataset.severity === 'note' ? 'panel' : 'panel problem',
    make('h2', '', cause.querySelector('summary').textContent),
    make('p', 'facts', make('span', 'chip', cause.dataset.label), place),
    make('pre', 'log-line', make('code', '', line)),
    ...(facts.length ? [make('ul', 'facts-known', ...facts.map((fact) => make('li', '', fact)))] : []),
    cause.querySelector('.prose').cloneNode(true));
}

function show({ found, lines }) {
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

// Without WebAssembly it is as without scripts.
function giveUp() {
  byId('reader').remove();
  byId('no-module').hidden = false;
}

async function explainLog(source) {
  runs += 1;
  const own = runs;
  clear('');
  if (!(source.size ?? source.length)) return;
  const goOn = (share) => {
    if (own !== runs) return false;
    progress.hidden = share === 1;
    progress.firstChild.value = share;
    return true;
  };
  try {
    starting ??= Module.load('log.wasm', tr).catch(giveUp);
    const module = await starting;
    const result = module && own === runs && await explain(module, source, goOn, learn);
    if (result) show(result);
  } catch (error) {
    starting = undefined; // It may have ended in the middle.
    const text = error instanceof Damaged
      ? tr('The file is damaged: it cannot be decompressed.') : tr('The file cannot be read: it has changed, or is gone.');
    if (own === runs) clear(text);
  }
}

log.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    file.value = '';
    explainLog(log.value);
  }, 300);
});

function explainFile(chosen) {
  if (!chosen) return;
  clearTimeout(timer);
  log.value = '';
  explainLog(chosen);
}

file.addEventListener('change', () => { explainFile(file.files[0]); });

onDrop(({ files }) => { explainFile(files[0]); });

// What the browser has kept of a form.
if (log.value) explainLog(log.value);
if (!('WebAssembly' in globalThis)) giveUp();
