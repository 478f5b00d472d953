import type { JsonObject } from '@millrace/language';

/** A filter of the real-time language over the indexed values of documents (`LiveReader`). */
export type LiveFilter = JsonObject;

/** What the filter engine can say about a query. */
export interface Bounds {
  /** True for every document that matches. */
  readonly necessary: LiveFilter;
  /** True for documents that match only. */
  readonly sufficient: LiveFilter;
  /** Whether `necessary` is sufficient too. */
  readonly isExact: boolean;
}

const EVERYTHING: LiveFilter = { match_all: {} };
const NOTHING: LiveFilter = { nothing: {} };

export const ALL: Bounds = { necessary: EVERYTHING, sufficient: EVERYTHING, isExact: true };
export const NONE: Bounds = { necessary: NOTHING, sufficient: NOTHING, isExact: true };

/** A condition that decides a part of a query. */
export function exactly(filter: LiveFilter): Bounds {
  return { necessary: filter, sufficient: filter, isExact: true };
}

/** A condition that every match fulfils; others may too. */
export function atMost(filter: LiveFilter): Bounds {
  return { necessary: filter, sufficient: NOTHING, isExact: false };
}

export function allOf(parts: readonly Bounds[]): Bounds {
  const [only] = parts;
  if (only === undefined) return ALL;
  return parts.length === 1 ? only : joined('and', parts);
}

export function anyOf(parts: readonly Bounds[]): Bounds {
  const [only] = parts;
  if (only === undefined) return NONE;
  return parts.length === 1 ? only : joined('or', parts);
}

export function not({ necessary, sufficient, isExact }: Bounds): Bounds {
  return { necessary: { not: sufficient }, sufficient: { not: necessary }, isExact };
}

function joined(operator: 'and' | 'or', parts: readonly Bounds[]): Bounds {
  return {
    necessary: { [operator]: parts.map(({ necessary }) => necessary) },
    sufficient: { [operator]: parts.map(({ sufficient }) => sufficient) },
    isExact: parts.every(({ isExact }) => isExact),
  };
}
