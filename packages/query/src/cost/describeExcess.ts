import type { Excess, WorkKind } from './WorkTally.js';

const WORDS: Readonly<Record<WorkKind, string>> = {
  placements: 'each document may be in too many buckets of its aggregations',
  buckets: 'its aggregations can give too many buckets, each bucket holding all of its children',
  lookups: 'it has too many patterns, words to find similar ones for, or clauses',
  passages: 'it marks or lists parts of too many documents',
};

/** The reason that a costly search is refused with. @param what happened to it, such as `takes too long` */
export function describeExcess({ kind, path }: Excess, what: string): string {
  return `The search ${what} (at ${path}): ${WORDS[kind]}. Ask for less at a time`;
}
