// What the catalog's rules say about a selection, and what solves its problems.
import { copyOf } from './creator-state.js';
import { isWithin } from './versions.js';

export class Rules {
  constructor(catalog) {
    this.components = new Map(catalog.components.map((each) => [each.slug, each]));
    this.layers = new Map(catalog.layers.map((each) => [each.key, each]));
  }

  name(slug) { return this.components.get(slug)?.name || slug; }

  isExclusive(component) { return this.layers.get(component.layer)?.exclusive ?? false; }

  // Of the version that is chosen, or would be.
  rulesOf(component, kind, state) {
    const version = state.components.get(component.slug) || component.versions.find((each) => each.is_latest).version;
    return (component.rules ?? []).filter((each) => each.rule === kind && isWithin(version, each.versions));
  }

  // The note of the rule by which two components conflict; '' if they do not.
  conflict(left, right, state) {
    for (const [one, other] of [[left, right], [right, left]]) {
      const rule = this.rulesOf(one, 'conflicts', state).find((each) => each.component === other.slug);
      if (rule) return rule.note || `Does not work with ${other.name}.`;
    }
    return '';
  }

  chosen(state) { return [...state.components.keys()].map((slug) => this.components.get(slug)).filter(Boolean); }

  // Why a component would not work with what is chosen.
  obstacle(component, state) {
    return this.chosen(state)
      .filter((other) => other !== component && !(other.layer === component.layer && this.isExclusive(component)))
      .map((other) => this.conflict(component, other, state)).filter(Boolean).join(' ');
  }

  with(state, slug) {
    const next = copyOf(state);
    const component = this.components.get(slug);
    if (component && this.isExclusive(component)) {
      for (const other of this.chosen(state)) {
        if (other.layer === component.layer && other.slug !== slug) next.components.delete(other.slug);
      }
    }
    if (!next.components.has(slug)) next.components.set(slug, '');
    return next;
  }

  without(state, slug) {
    const next = copyOf(state);
    next.components.delete(slug);
    return next;
  }

  // Solutions: {label, state} each.
  add(state, slug) {
    const component = this.components.get(slug);
    if (!component?.selectable) return [];
    return [{ label: `Add ${component.name}`, state: this.with(state, slug) }];
  }

  remove(state, slug) {
    if (!state.components.has(slug)) return [];
    return [{ label: `Remove ${this.name(slug)}`, state: this.without(state, slug) }];
  }

  replace(state, slug) {
    const gone = this.components.get(slug);
    if (!gone || !this.isExclusive(gone)) return [];
    const rest = this.without(state, slug);
    return [...this.components.values()]
      .filter((other) => other.layer === gone.layer && other !== gone && other.selectable &&
        !rest.components.has(other.slug) && !this.chosen(rest).some((each) => this.conflict(other, each, rest)))
      .map((other) => ({ label: `Use ${other.name} instead of ${gone.name}`, state: this.with(rest, other.slug) }));
  }

  // Of an answer `invalid_selection`: {text, solutions} each.
  problems(answer, state) {
    const found = [];
    const put = (text, ...solutions) => found.push({ text, solutions: solutions.flat() });
    for (const slug of answer.unknown ?? []) {
      put(`${this.name(slug)} cannot be chosen.`, this.remove(state, slug));
    }
    for (const item of answer.unavailable ?? []) {
      put(item.reason, this.replace(state, item.component), this.remove(state, item.component));
    }
    for (const item of answer.layer_conflicts ?? []) {
      const slugs = item.components.split(',');
      put(`${slugs.map((slug) => this.name(slug)).join(' and ')} exclude each other: a server has one component of ` +
        `the layer ${this.layers.get(item.layer)?.label ?? item.layer}.`,
      slugs.map((slug) => ({ label: `Use only ${this.name(slug)}`, state: this.with(state, slug) })));
    }
    for (const item of answer.conflicts ?? []) {
      put(`${this.name(item.component)} conflicts with ${this.name(item.with)}. ${item.reason}`,
        this.replace(state, item.component), this.replace(state, item.with),
        this.remove(state, item.component), this.remove(state, item.with));
    }
    for (const item of answer.missing_requires ?? []) {
      put(item.reason, this.add(state, item.requires), this.removeNeedy(state, item.component));
    }
    return found;
  }

  // Of "plugin:SLUG" or a component.
  removeNeedy(state, name) {
    if (!name.startsWith('plugin:')) return this.remove(state, name);
    const slug = name.slice('plugin:'.length);
    const next = copyOf(state);
    next.plugins.delete(slug);
    return [{ label: `Remove the plugin ${slug}`, state: next }];
  }
}
