const MAX_DISTANCE = 2;

/**
 * The known name that a misspelt one probably means: within two letters missing, added, replaced or swapped
 * (Damerau-Levenshtein distance), upper and lower case alike; the nearest one, of several the first.
 * @returns undefined where none is so near
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let closest: string | undefined;
  let least = MAX_DISTANCE + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = distanceBetween(wanted, candidate.toLowerCase());
    // Of a name of two letters nothing is left that would be alike.
    if (distance >= least || distance >= candidate.length) continue;
    closest = candidate;
    least = distance;
  }
  return closest;
}

/** Optimal string alignment: no letter is edited twice. */
function distanceBetween(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (isSame ? 0 : 1),
      );
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      if (isSwapped) cost = Math.min(cost, (beforePrevious[column - 2] as number) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] as number;
}
