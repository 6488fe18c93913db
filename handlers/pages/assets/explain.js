// Finds known causes in the log of a server's console: gives it to the module that knows them, in pieces.

const SLICE = 256 * 1024; // bytes of a file that are read at once
const SHOWN = 300; // characters of a line that are shown

// What is printed of a line: without control characters, and without those that change the direction of writing.
export function printable(line) {
  const text = line.replace(/\t/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, '');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

// A file that gzip has compressed cannot be decompressed.
export class Damaged extends Error {}

async function isCompressed(source) {
  const [first, second] = new Uint8Array(await source.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b && 'DecompressionStream' in globalThis;
}

// Pieces of it, each with the share of the file that is read before it.
async function* slices(source) {
  for (let begin = 0; begin < source.size; begin += SLICE) {
    const piece = new Uint8Array(await source.slice(begin, begin + SLICE).arrayBuffer());
    yield [piece, begin / source.size];
  }
}

async function* decompressed(source) {
  let read = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      read += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const reader = source.stream().pipeThrough(counted).pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => { throw new Damaged(error.message); });
      if (done) return;
      yield [value, Math.min(read / source.size, 0.99)];
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// Of a log, a text or a file of any size and encoding, also compressed by gzip: { lines, found: [{ id, first, line, count,
// facts }] }, the gravest first. Gives way to the browser between pieces; `goOn(share)` is called before each and ends it early
// with false: then it is null. `learn()` gives the bytes of the list of known names, null if there is none; it is asked for once,
// for a log that has names. Throws Damaged.
export async function explain(module, log, goOn, learn = () => null) {
  const source = new Blob([log]);
  module.exports.begin();
  for await (const [piece, share] of await isCompressed(source) ? decompressed(source) : slices(source)) {
    if (!goOn(share)) return null;
    module.call('add', piece);
  }
  if (!goOn(1)) return null;
  if (module.exports.finish()) {
    const names = await learn();
    if (!goOn(1)) return null;
    if (names) module.call('know', names);
  }
  const [lines, ...rows] = module.text(module.exports.report()).split('\n');
  const found = [];
  for (const row of rows) {
    if (row.startsWith('\t')) {
      found.at(-1).facts.push(printable(row.slice(1)));
      continue;
    }
    const [id, first, count, ...line] = row.split('\t');
    found.push({ id, first: Number(first), line: printable(line.join('\t')), count: Number(count), facts: [] });
  }
  return { lines: Number(lines), found };
}
