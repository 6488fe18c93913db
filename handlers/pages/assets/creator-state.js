// What is chosen: `components` maps slugs to a pinned version or '', `plugins` is a set of slugs.

const byComma = (text) => (text ?? '').split(',').map((part) => part.trim()).filter(Boolean);

// The components that the recommended server has.
function defaults(catalog) {
  return catalog.components.filter((each) => each.is_default).map((each) => each.slug);
}

export function isRecommended(state, catalog) {
  const wanted = defaults(catalog);
  return state.components.size === wanted.length && wanted.every((slug) => state.components.get(slug) === '');
}

// As the API and the page understand it; '' for the recommended server.
export function toQuery(state, catalog) {
  const parts = [];
  const plain = (text) => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%40', '@');
  if (!isRecommended(state, catalog)) {
    const tokens = [...state.components].sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([slug, version]) => (version ? `${slug}@${version}` : slug));
    parts.push(`components=${plain(tokens.join(',') || ',')}`);
  }
  if (state.plugins.size) parts.push(`plugins=${plain([...state.plugins].sort().join(','))}`);
  if (state.optimized) parts.push('optimized=1');
  return parts.join('&');
}

// From the address bar. What the catalog does not have stays: resolve reports it.
export function fromQuery(search, catalog) {
  const query = new URLSearchParams(search);
  const list = query.getAll('components').join(',');
  const components = new Map();
  for (const token of list ? byComma(list) : defaults(catalog)) {
    const [slug, version = ''] = token.split('@');
    components.set(slug, version || components.get(slug) || '');
  }
  const optimized = ['1', 'true', 'yes', 'on'].includes((query.get('optimized') ?? '').toLowerCase());
  return { components, plugins: new Set(byComma(query.getAll('plugins').join(','))), optimized };
}

// From the controls, which the server has set.
export function fromForm(form) {
  const components = new Map();
  for (const box of form.querySelectorAll('input[name=components]:checked')) {
    const pin = form.querySelector(`#component-${box.value} select`);
    components.set(box.value, pin?.value.split('@')[1] ?? '');
  }
  const plugins = [...form.querySelectorAll('input[name=plugins]:checked')].map((box) => box.value);
  return { components, plugins: new Set(plugins), optimized: form.elements.optimized.checked };
}

export function toForm(form, state) {
  for (const box of form.querySelectorAll('input[type=checkbox][name=components]')) {
    box.checked = state.components.has(box.value);
    const version = state.components.get(box.value);
    const pin = form.querySelector(`#component-${box.value} select`);
    pin.value = version ? `${box.value}@${version}` : '';
    if (pin.selectedIndex < 0) pin.selectedIndex = 0;
  }
  form.elements.optimized.checked = state.optimized;
}

export const copyOf = (state) => ({
  components: new Map(state.components), plugins: new Set(state.plugins), optimized: state.optimized,
});
