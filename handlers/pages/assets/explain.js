// Finds known causes in the log of a server's console, as /server/explain.sh does: a line counts for the first cause whose
// patterns it has, and what players do counts for none. Logs of any size are read in pieces.

const SLICE = 256 * 1024; // bytes of a file that are read at once: some 50 ms
const LONGEST = 4096; // characters of a line that count
const SHOWN = 300; // of a line that is shown

const anyOf = (patterns) => new RegExp(patterns.map((each) => `(?:${each})`).join('|'), 's');

// What is printed of a line: without control characters, and without those that change the direction of writing.
export function printable(line) {
  const text = line.replace(/\t/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, '');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

export class Explanation {
  // `causes`: [{ id, severity, fallback, patterns }]; `ignored`: patterns of lines that count for no cause.
  constructor(causes, ignored) {
    this.causes = causes.map((each) => ({ ...each, pattern: anyOf(each.patterns) }));
    this.any = anyOf(causes.flatMap(({ patterns }) => patterns));
    this.ignored = anyOf(ignored);
    this.found = new Map(); // of a cause: { first, line, count }
    this.lines = 0;
    this.rest = '';
  }

  // Takes the next piece of the log. Without null characters text in UTF-16 is ASCII.
  add(piece) {
    const lines = (this.rest + piece.replace(/[\0\r]/g, '')).split('\n');
    this.rest = lines.pop().slice(0, LONGEST);
    for (const line of lines) this.addLine(line.slice(0, LONGEST));
  }

  addLine(line) {
    this.lines += 1;
    if (!this.any.test(line) || this.ignored.test(line)) return;
    const cause = this.causes.find(({ pattern }) => pattern.test(line));
    const found = this.found.get(cause);
    if (found) found.count += 1;
    else this.found.set(cause, { first: this.lines, line: printable(line), count: 1 });
  }

  // What was found so far, in the order of the causes: [{ id, first, line, count }]. What is only said when nothing else
  // explains the log is left out if something else of its severity was found.
  results() {
    if (this.rest) this.addLine(this.rest);
    this.rest = '';
    const certain = new Set([...this.found.keys()].filter(({ fallback }) => !fallback).map(({ severity }) => severity));
    return this.causes.filter((cause) => this.found.has(cause) && !(cause.fallback && certain.has(cause.severity)))
      .map((cause) => ({ id: cause.id, ...this.found.get(cause) }));
  }
}

// Adds a text, or a file of any size and encoding. Gives way to the browser between pieces; `goOn(share)` is called before
// each and ends it early with false.
export async function read(source, explanation, goOn) {
  const size = source.size ?? source.length;
  const decoder = new TextDecoder('utf-8');
  for (let begin = 0; begin < size; begin += SLICE) {
    if (!goOn(begin / size)) return false;
    const piece = source.slice(begin, begin + SLICE);
    if (typeof piece === 'string') {
      explanation.add(piece);
      await new Promise((resolve) => { setTimeout(resolve); });
    } else {
      explanation.add(decoder.decode(await piece.arrayBuffer(), { stream: true }));
    }
  }
  return goOn(1);
}
