// Versions, and ranges of them: "<3.15.0.896", ">=5.24 <5.26".

// Below, at or above 0. Runs of digits compare as numbers, everything else character by character.
export function naturalOrder(left, right) {
  const [ours, theirs] = [left, right].map((text) => text.match(/\d+|\D/g) ?? []);
  for (let i = 0; i < Math.min(ours.length, theirs.length); i += 1) {
    const [one, other] = [ours[i], theirs[i]];
    const areNumbers = /^\d/.test(one) && /^\d/.test(other);
    const [a, b] = areNumbers ? [BigInt(one), BigInt(other)] : [one[0], other[0]];
    if (a !== b) return a < b ? -1 : 1;
  }
  if (ours.length !== theirs.length) return ours.length - theirs.length;
  return left === right ? 0 : (left < right ? -1 : 1);
}

const relations = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
};

// Without a range: true.
export function isWithin(version, range) {
  return (range ?? '').split(' ').filter(Boolean).every((bound) => {
    const [, relation, limit] = bound.match(/^([<>]?=?)(.*)$/);
    return relations[relation](naturalOrder(version, limit));
  });
}
