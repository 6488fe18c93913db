// The difference of two texts, line by line: [{kind: 'same' | 'added' | 'removed', text}].
const LONGEST = 3000; // lines; the table below has a cell for each pair

export function lineDiff(before, after) {
  const left = before.split('\n');
  const right = after.split('\n');
  if (left.length > LONGEST || right.length > LONGEST) {
    return [...left.map((text) => ({ kind: 'removed', text })), ...right.map((text) => ({ kind: 'added', text }))];
  }
  // lengths[i][j]: of the longest common subsequence of the lines from i and from j on.
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = left[i] === right[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ kind: 'same', text: left[i] });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      lines.push({ kind: 'removed', text: left[i] });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: right[j] });
      j += 1;
    }
  }
  return lines;
}
