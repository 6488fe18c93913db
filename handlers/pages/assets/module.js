// Modules of pages: WebAssembly, of the same sources as goldsmith-keeper.

export class Module {
  // `source`: its bytes, or an answer of fetch() that has them. `translate(text)` gives a text in the language of the page.
  static async start(source, translate = (text) => text) {
    const module = new Module();
    const imports = { page: { translate: (place, size) => module.translated(place, size, translate) } };
    const { instance } = await (source instanceof Uint8Array
      ? WebAssembly.instantiate(source, imports) : WebAssembly.instantiateStreaming(source, imports));
    module.exports = instance.exports;
    module.exports._initialize();
    return module;
  }

  // That of this page, which is beside its scripts.
  static load(name, translate) {
    return Module.start(fetch(new URL(name, import.meta.url)), translate);
  }

  read(place, size) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, place, size));
  }

  // Bytes in its memory, for release().
  put(bytes) {
    const place = this.exports.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, place);
    return place;
  }

  // Calls what takes bytes, as a text or an array, and then numbers.
  call(name, bytes, ...numbers) {
    const given = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    const place = this.put(given);
    const result = this.exports[name](place, given.length, ...numbers);
    this.exports.release(place);
    return result;
  }

  // The text that a call has answered with.
  text(place) {
    return this.read(place, this.exports.answer_size());
  }

  translated(place, size, translate) {
    const text = this.read(place, size);
    const known = translate(text);
    return known === text ? 0 : this.put(new TextEncoder().encode(`${known}\0`));
  }
}
