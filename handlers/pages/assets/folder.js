// Reads the folder of a server for the module that knows what is needed of it: digests, beginnings, what is compressed.

const MOST_FILES = 200_000;

// { name, files: [{ path, file }] } of what <input webkitdirectory> has; paths are relative to the folder.
export function chosenFolder(files) {
  const all = [...files].map((file) => ({ path: file.webkitRelativePath.split('/').slice(1).join('/'), file }));
  return { name: files[0].webkitRelativePath.split('/')[0], files: all };
}

const entriesOf = (reader) => new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
const fileOf = (entry) => new Promise((resolve, reject) => { entry.file(resolve, reject); });

async function addEntries(entry, path, files) {
  if (files.length > MOST_FILES) return;
  if (entry.isFile) {
    files.push({ path, file: await fileOf(entry) });
    return;
  }
  const reader = entry.createReader();
  for (let some = await entriesOf(reader); some.length; some = await entriesOf(reader)) {
    for (const each of some) await addEntries(each, path ? `${path}/${each.name}` : each.name, files);
  }
}

// The same of what was dropped; null if that is no folder.
export async function droppedFolder(transfer) {
  const [entry] = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
  if (!entry?.isDirectory) return null;
  const files = [];
  await addEntries(entry, '', files);
  return { name: entry.name, files };
}

export const isTooLarge = ({ files }) => files.length > MOST_FILES;

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// What zlib makes of them, up to where they are damaged.
async function inflated(bytes, most) {
  const parts = [];
  let size = 0;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    for (const reader = stream.getReader(); size < most;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
    }
  } catch {
    // Its beginning is what counts.
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer()).subarray(0, most);
}

// In the order of NamedFolder::Wanted.
const answers = [
  null,
  async ({ file }) => digest(await file.arrayBuffer()),
  async ({ file, most }) => new Uint8Array(await file.slice(0, most).arrayBuffer()),
  ({ bytes }) => digest(bytes),
  ({ bytes, most }) => inflated(bytes, most),
];

async function answerTo(kind, request) {
  try {
    return await answers[kind](request);
  } catch {
    return ''; // It is gone, or may not be read.
  }
}

// Returns '' when the folder is read, or why it has no server. `goOn(share)` is called before each answer and ends it early with
// false: then it is null.
export async function readFolder(module, { name, files }, goOn) {
  const { exports } = module;
  if (!goOn(0)) return null;
  exports.enter();
  for (const { path, file } of files) module.call('add_file', path, file.size);
  const problem = module.text(module.call('begin', name));
  if (problem) return problem;
  const met = new Set();
  for (let kind = exports.request_kind(); kind; kind = exports.request_kind()) {
    const number = exports.request_file();
    met.add(number);
    const bytes = new Uint8Array(exports.memory.buffer, exports.request_bytes(), exports.request_size()).slice();
    const answer = await answerTo(kind, { file: files[number].file, most: exports.request_most(), bytes });
    if (!goOn(met.size / files.length)) return null;
    module.call('give', answer);
  }
  return '';
}
