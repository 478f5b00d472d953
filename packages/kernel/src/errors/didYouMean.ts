const MAX_LENGTH = 64;
const MAX_EDITS = 2;
/** Two edits turn a name of three letters into nearly any other one. */
const SHORT_LENGTH = 3;

/**
 * The end of a message that refuses an unknown name, such as `; did you mean get?`: the nearest known name within two
 * edits (one edit for names of up to three letters). An edit inserts, removes or replaces a letter, or swaps two
 * adjacent ones; case is ignored. Empty if no known name is near enough.
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > MAX_LENGTH) return undefined;
  const written = name.toLowerCase();
  let limit = name.length <= SHORT_LENGTH ? 1 : MAX_EDITS;
  let nearest: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const edits = editsBetween(written, candidate.toLowerCase());
    if (edits > limit || (edits === limit && nearest !== undefined)) continue;
    nearest = candidate;
    limit = edits;
  }
  return nearest;
}

/** Edit distance of two short strings, with a swap of adjacent letters counted once (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], position: number): number {
  return row[position] ?? Infinity;
}
