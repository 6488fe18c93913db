// Scripts of every page: the switch of colours, buttons that copy, versions that the address names, the button that adds a
// plugin to a server.

import { keepLanguage, tr } from './language.js';

const themes = ['system', 'light', 'dark'];
const labels = {
  system: tr('Colours: as the system'),
  light: tr('Colours: light'),
  dark: tr('Colours: dark'),
};
const signs = { system: '◐', light: '☀', dark: '☾' };

function currentTheme() {
  return document.documentElement.dataset.theme ?? 'system';
}

function showTheme(button) {
  button.setAttribute('aria-label', labels[currentTheme()]);
  button.title = labels[currentTheme()];
  button.textContent = signs[currentTheme()];
}

function nextTheme() {
  const next = themes[(themes.indexOf(currentTheme()) + 1) % themes.length];
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', next);
  } catch {
    // Storage is off: the setting is lost with the page.
  }
}

for (const button of document.querySelectorAll('[data-theme-switch]')) {
  showTheme(button);
  button.addEventListener('click', () => {
    nextTheme();
    showTheme(button);
  });
}

// Copies the text of the element before the button.
document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  button.textContent = tr('Copied');
  setTimeout(() => { button.textContent = tr('Copy'); }, 2000);
});

// Opens the version that the address names.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
openTarget();
addEventListener('hashchange', openTarget);

function begunSelection() {
  try {
    return localStorage.getItem('selection') ?? '';
  } catch {
    return ''; // Storage is off.
  }
}

// Lets the button add to the selection that was begun in the server creator.
function showBegun() {
  const button = document.querySelector('[data-add]');
  const begun = begunSelection();
  if (!button || !begun) return;
  const plugins = button.dataset.add.split(',');
  const fields = new URLSearchParams(begun);
  const chosen = (fields.get('plugins') ?? '').split(',').filter(Boolean);
  const names = chosen.map((each) => each.split('@')[0]);
  const missing = plugins.filter((plugin) => !names.includes(plugin));
  fields.set('plugins', [...chosen, ...missing].join(','));
  const order = new URL(button.href).searchParams.get('order'); // of a pack
  if (order) {
    const begunOrder = (fields.get('order') ?? '').split(',').filter(Boolean);
    fields.set('order', [...new Set([...begunOrder, ...order.split(',')])].join(','));
  }
  button.href = `/server?${keepLanguage(fields)}`;
  const n = chosen.length;
  const add = n ? tr('Add to server ({n} chosen)', { n }) : tr('Add to server');
  const addAll = n ? tr('Add all to server ({n} chosen)', { n }) : tr('Add all to server');
  const label = plugins.length > 1 ? addAll : add;
  button.textContent = missing.length ? label : tr('Show your server');
}
showBegun();
// A page that the browser kept shows what was chosen since.
addEventListener('pageshow', ({ persisted }) => { if (persisted) showBegun(); });
