/*
 * Memory of a query, for limits: of what was parsed and what binding made of it, of which `*` has made hundreds of
 * nodes from a few characters. Counted are the objects themselves, so that a new kind of query needs nothing here. The
 * mapping is not part of a query, and strings and objects that several nodes share count once.
 */

/** Measured (Node 20): most objects of a query are copies of others with some properties more. */
const BYTES_PER_OBJECT = 40;
const BYTES_PER_PROPERTY = 8;
const BYTES_PER_STRING = 24;
const BYTES_PER_CHARACTER = 1;
/** A compiled pattern, and for each character of the strings next to it. */
const BYTES_PER_PATTERN = 2_500;
const BYTES_PER_PATTERN_CHARACTER = 12;

/** Estimates the memory of a query, or of its JSON, in bytes. */
export function estimateQueryBytes(query: object): number {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [query];
  let bytes = 0;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const isCounted = typeof value !== 'number' && typeof value !== 'boolean' && value !== null;
    if (!isCounted || seen.has(value) || isOfMapping(value)) continue;
    seen.add(value);
    if (typeof value === 'string') {
      bytes += BYTES_PER_STRING + value.length * BYTES_PER_CHARACTER;
      continue;
    }
    const members: unknown[] = Object.values(value as object);
    bytes += BYTES_PER_OBJECT + members.length * BYTES_PER_PROPERTY;
    for (const member of members) {
      if (typeof member === 'function') bytes += bytesOfPattern(members);
      else if (member !== undefined) waiting.push(member);
    }
  }
  return bytes;
}

function isOfMapping(value: unknown): boolean {
  const { kind } = value as { readonly kind?: unknown };
  return kind === 'field' || kind === 'object';
}

function bytesOfPattern(members: readonly unknown[]): number {
  const lengths = members.map((member) => (typeof member === 'string' ? member.length : 0));
  const length = lengths.reduce((sum, each) => sum + each, 0);
  return BYTES_PER_PATTERN + length * BYTES_PER_PATTERN_CHARACTER;
}
