// Texts of scripts in the language of the page, which has them as JSON unless they are as they are here. Values stand in the
// place of {name}.

const given = document.getElementById('script-texts');
const { texts = {}, plurals = {} } = given ? JSON.parse(given.textContent) : {};
const language = document.documentElement.lang;
const rules = new Intl.PluralRules(language);

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

export const numeral = (number) => number.toLocaleString(language);

export const tr = (text, values = {}) => filled(texts[text] ?? text, values);

export function trPlural(one, many, n, values = {}) {
  const forms = plurals[one] ?? { one, other: many };
  return filled(forms[rules.select(n)] ?? forms.other, { n: numeral(n), ...values });
}

// Adds to the fields of an address the language that the page was asked for.
export function keepLanguage(fields) {
  const chosen = new URLSearchParams(location.search).get('lang');
  if (chosen) fields.set('lang', chosen);
  return fields;
}
