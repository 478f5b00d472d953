/** The documents that a query matches. */
export interface Matches {
  /** Ascending, each once. May include dead documents: the executor removes them at the end. */
  readonly slots: Int32Array;
  /** By position in `slots`; undefined if all have the score `score`. */
  readonly scores: Float64Array | undefined;
  readonly score: number;
}

const NOTHING: Matches = { slots: new Int32Array(0), scores: undefined, score: 0 };

/** No documents. */
export function noMatches(): Matches {
  return NOTHING;
}

/** Documents with a constant score. */
export function constantMatches(slots: Int32Array, score: number): Matches {
  return slots.length === 0 ? NOTHING : { slots, scores: undefined, score };
}

/** The score at a position. */
export function scoreAt(matches: Matches, position: number): number {
  return matches.scores === undefined ? matches.score : (matches.scores[position] as number);
}

/** The matches whose slot passes the test. */
export function filterMatches(matches: Matches, accepts: (slot: number) => boolean): Matches {
  const { slots, scores, score } = matches;
  const kept = new Int32Array(slots.length);
  const keptScores = scores === undefined ? undefined : new Float64Array(slots.length);
  let count = 0;
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    if (!accepts(slot)) continue;
    if (keptScores !== undefined) keptScores[count] = (scores as Float64Array)[i] as number;
    kept[count++] = slot;
  }
  return { slots: kept.subarray(0, count), scores: keptScores?.subarray(0, count), score };
}

/** Every score times `factor`. */
export function scaleScores(matches: Matches, factor: number): Matches {
  if (factor === 1) return matches;
  return {
    slots: matches.slots,
    scores: matches.scores?.map((score) => score * factor),
    score: matches.score * factor,
  };
}

/** The same documents, each with the score `score`. */
export function withScore(matches: Matches, score: number): Matches {
  return constantMatches(matches.slots, score);
}
