// Tells what is in the folder of a server that was chosen or dropped, as goldsmith-keeper adopt does. Nothing of it leaves the
// browser.

import { byId, make, onDrop } from './dom.js';
import { chosenFolder, droppedFolder, isTooLarge, readFolder } from './folder.js';
import { keepLanguage, numeral, tr, trPlural } from './language.js';
import { Module } from './module.js';

const KNOWN_FILES = '/server/known-files.txt';
const A_MINUTE = 60_000; // milliseconds
const FEW = 10; // files of a kind, which are shown at once
const chooser = byId('folder');
const box = byId('console');
const status = byId('folder-status');
const progress = byId('folder-progress');
const report = byId('report');

let runs = 0; // a later one ends those before
let starting; // the module, once there is a folder
let learned = -A_MINUTE; // when the module was given its list
let timer;

function giveUp() {
  byId('reader').remove();
  byId('no-module').hidden = false;
}

// Gives the module the list of what is known, which changes: again after a minute. Returns what is wrong, or null if it shall end.
async function learn(module, goOn) {
  if (performance.now() - learned < A_MINUTE) return '';
  const service = location.origin;
  let answer;
  let list;
  try {
    answer = await fetch(KNOWN_FILES);
    list = new Uint8Array(await answer.arrayBuffer());
  } catch {
    return tr('cannot reach {service}', { service });
  }
  if (!goOn(0)) return null;
  if (!answer.ok) return tr('{service} answered {status}', { service, status: answer.status });
  learned = -A_MINUTE;
  const wrong = module.call('know', list);
  if (!wrong) learned = performance.now();
  return [
    '',
    tr('the list of known files is of an unknown format; load this page again'),
    tr('the list of known files is not complete; try again'),
    tr('the list of known files is damaged'),
  ][wrong];
}

const headings = {
  edited: tr('Edited configuration:'),
  written: tr('Files that a build writes anew:'),
  changed: tr('Changed:'),
  other_version: tr('Other versions:'),
  unknown_version: tr('Of a version that is not known:'),
  part: tr('Parts of what is not installed:'),
  unknown_plugin: tr('Unknown plugins:'),
  named_plugin: tr('Plugins that may be known by their file name alone:'),
  unknown: tr('Unknown:'),
};

const named = (text) => make('bdi', '', text);
const files = (n) => trPlural('{n} file', '{n} files', n);

function list(items) {
  const element = make('ul', 'plain');
  element.append(...items.map((each) => make('li', 'path', ...[each].flat())));
  return element;
}

function section(heading, ...content) {
  return make('section', 'after', make('h2', '', heading), ...content);
}

// `rows`: [[name, version, …, remark], …]
function table(label, columns, rows) {
  const frame = make('div', 'scroll', make('table', '',
    make('thead', '', make('tr', '', ...columns.map((name) => {
      const cell = make('th', '', name);
      cell.scope = 'col';
      return cell;
    }))),
    make('tbody', '', ...rows.map(([name, ...others]) => {
      const head = make('th', '', named(name));
      head.scope = 'row';
      return make('tr', '', head, ...others.map((each) => make('td', '', named(each))));
    }))));
  frame.tabIndex = 0;
  frame.setAttribute('role', 'group');
  frame.setAttribute('aria-label', label);
  return frame;
}

function copyFrame(label, text) {
  const pre = make('pre', '', make('code', '', text));
  pre.tabIndex = 0;
  pre.setAttribute('aria-label', label);
  const button = make('button', 'copy', tr('Copy'));
  button.type = 'button';
  button.dataset.copy = '';
  return make('div', 'copy-frame', pre, button);
}

function address(link) {
  const { pathname, search } = new URL(link);
  return `${pathname}?${keepLanguage(new URLSearchParams(search))}`;
}

function linkTo(link, text, className) {
  const element = make('a', className, text);
  element.href = address(link).replaceAll('%2C', ',').replaceAll('%40', '@');
  return element;
}

function commands(link) {
  const { origin, search } = new URL(link);
  const language = document.documentElement.lang;
  const script = `${origin}/server/update.sh${search}${language === 'en' ? '' : `&lang=${language}`}`;
  const folder = tr('THE FOLDER WITH cstrike');
  return [`curl -fo update.sh '${script}'`, `sh update.sh --dry-run '${folder}'`, `sh update.sh '${folder}'`].join('\n');
}

function showLink(found, pinned) {
  if (!found.link) {
    return make('section', 'panel problem', make('p', '', tr('Nothing here is known to {service}.', { service: location.origin })));
  }
  const panel = make('section', 'panel', make('h2', '', tr('The same server in the server creator')),
    make('p', 'links', linkTo(found.link, tr('With the newest versions'), 'button'),
      linkTo(pinned.link, tr('With the versions that are there'), 'button quiet')));
  if (found.guesses.length) {
    panel.append(make('p', 'note', tr('In place of files that are not known, it has {components}.',
      { components: found.guesses.join(', ') })));
  }
  if (found.problems.length) {
    panel.append(make('p', 'warning', tr('The service would refuse this selection as it is:')), list(found.problems),
      make('p', 'note', tr('The page of the link says what completes it, and has the commands then.')));
    return panel;
  }
  const steps = make('details', '', make('summary', '', tr('Take the folder over, and keep it up to date')),
    make('p', '', tr('Stop the server first. Edited configuration stays, with the new one beside it as .new.'), ' ',
      tr('What is replaced is kept in .goldsmith/original.')),
    copyFrame(tr('Commands that take the folder over'), commands(found.link)));
  if (found.unlist.length) {
    steps.append(make('p', '',
      tr('Then take these lines out of the lists in addons/amxmodx/configs: plugins-svc.ini loads the plugins.')), list(found.unlist));
  }
  panel.append(steps);
  return panel;
}

function showComponents({ components, places }) {
  const content = [];
  if (components.length) {
    content.push(table(tr('Components'), [tr('Component'), tr('Version'), tr('Files'), tr('Remark')],
      components.map((each) => [each.name, each.version, numeral(each.files), each.remark])));
  }
  if (places.length) content.push(list(places.map((each) => each.what)));
  if (!content.length) content.push(make('p', 'empty', tr('none is known here')));
  return section(tr('Components'), ...content);
}

function showPlugins({ plugins }) {
  if (!plugins.length) return '';
  return section(tr('Plugins'), table(tr('Plugins'), [tr('Plugin'), tr('Version'), tr('File'), tr('Remark')],
    plugins.map((each) => [each.name, each.known ? each.version : `${each.version}?`, each.file, each.remark])));
}

function showKind(kind, found) {
  const count = found.counts[kind];
  if (!count) return '';
  const items = found.files.filter((each) => each.kind === kind)
    .map(({ path, what }) => (what ? [named(path), ' ', make('small', '', `(${what})`)] : [named(path)]));
  const details = make('details', 'panel', make('summary', '', `${headings[kind]} ${numeral(count)}`), list(items));
  details.open = count <= FEW;
  if (count > items.length) details.append(make('p', 'note', tr('… and {n} more', { n: numeral(count - items.length) })));
  if (kind === 'written') {
    details.append(make('p', 'note', tr('Add again what else they name. The former ones are then in .goldsmith/original.')));
  }
  return details;
}

function showRest(found) {
  const parts = [];
  if (found.other_files) {
    parts.push(make('p', '', tr('Other files, such as maps and models: {n}', { n: numeral(found.other_files) })));
  }
  if (found.not_looked_at.length) {
    parts.push(section(tr('Not looked at:'), list(found.not_looked_at)));
  }
  if (found.declared.length) {
    parts.push(section(tr('Said by files about the server, and not seen in what lies here:'), list(found.declared)));
  }
  return parts;
}

function show(module, looked) {
  const text = module.text(module.exports.report(false));
  const found = JSON.parse(text);
  const pinned = JSON.parse(module.text(module.exports.report(true)));
  status.textContent = `${looked} ${tr('Nothing of it was sent.')}`;
  report.replaceChildren(showLink(found, pinned), showComponents(found), showPlugins(found),
    ...Object.keys(headings).map((kind) => showKind(kind, found)), ...showRest(found),
    make('details', 'after', make('summary', '', tr('For programs: what goldsmith-keeper adopt --json prints')),
      copyFrame(tr('The report for programs'), text)));
}

function clear(text) {
  report.replaceChildren();
  progress.hidden = true;
  status.textContent = text;
}

// Shows what there is to say of it; returns why there is nothing.
async function tellFolder(module, folder, goOn) {
  if (!folder) return tr('That is no folder.');
  if (isTooLarge(folder)) return tr('There are too many files in it: choose the folder of the server alone.');
  const unlearned = await learn(module, goOn);
  const problem = unlearned === '' ? await readFolder(module, folder, goOn) : unlearned;
  if (problem === '') show(module, tr('{files} looked at.', { files: files(folder.files.length) }));
  return problem;
}

async function tellConsole(module, text, goOn) {
  const problem = await learn(module, goOn);
  if (problem !== '') return problem;
  if (!module.call('read_console', text)) return tr('None of these lists is in it.');
  show(module, tr('This is what the console says.'));
  return '';
}

// `opening`: what `tellIt` tells of.
async function tell(opening, tellIt) {
  runs += 1;
  const own = runs;
  clear('');
  const goOn = (share) => {
    if (own !== runs) return false;
    progress.hidden = share === 1;
    progress.firstChild.value = share;
    return true;
  };
  try {
    goOn(0);
    starting ??= Module.load('server.wasm', tr).catch(giveUp);
    const [module, opened] = await Promise.all([starting, opening]);
    const problem = module && own === runs && await tellIt(module, opened, goOn);
    if (own !== runs) return;
    if (problem) clear(problem);
    progress.hidden = true;
  } catch {
    starting = undefined; // It may have ended in the middle.
    learned = -A_MINUTE;
    if (own === runs) clear(tr('The folder cannot be read: it has changed, or is gone.'));
  }
}

chooser.addEventListener('change', () => {
  box.value = '';
  if (chooser.files.length) tell(chosenFolder(chooser.files), tellFolder);
});

onDrop((transfer) => {
  chooser.value = '';
  box.value = '';
  tell(droppedFolder(transfer), tellFolder);
});

box.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    chooser.value = '';
    if (box.value) tell(box.value, tellConsole);
    else clear('');
  }, 300);
});

// Digests are only there where the connection is safe.
if (!('WebAssembly' in globalThis) || !('DecompressionStream' in globalThis) || !globalThis.crypto?.subtle) giveUp();
