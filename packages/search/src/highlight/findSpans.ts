import type { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { forEachWindow } from '../queries/phraseFrequency.js';
import { findNear } from './findNear.js';
import type { TermTest, Wanted } from './Wanted.js';

/** A piece of a text that is to be marked. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * What a text has of the wanted: single terms, and phrases as a whole from their first to their last token. Ascending;
 * pieces that overlap are one.
 * @param marksWholePhrases false: the tokens of a phrase each for itself, as where any field may have been asked
 */
export function findSpans(
  tokens: PlacedTokenList,
  wanted: readonly Wanted[],
  marksWholePhrases = true,
): Span[] {
  const spans: Span[] = [];
  for (const { places, slop, endsInPrefix, isLoose } of wanted) {
    const [first] = places;
    if (first === undefined) continue;
    const last = endsInPrefix === true && !marksWholePhrases ? places.at(-1) : undefined;
    if (last !== undefined) addTerms(tokens, last.accepts, spans);
    if (isLoose === true && !marksWholePhrases)
      for (const { accepts } of places) addTerms(tokens, accepts, spans);
    else if (places.length === 1) addTerms(tokens, first.accepts, spans);
    else if (!marksWholePhrases) addNearTokens(tokens, { places, slop }, spans);
    else if (slop > 0) addSloppyPhrases(tokens, { places, slop }, spans);
    else addPhrases(tokens, places, spans);
  }
  return merge(spans);
}

function addTerms(
  { terms, starts, ends }: PlacedTokenList,
  accepts: TermTest,
  spans: Span[],
): void {
  terms.forEach((term, i) => {
    if (accepts(term)) spans.push({ start: starts[i] as number, end: ends[i] as number });
  });
}

/** From the first to the last token of each occurrence. */
function addSloppyPhrases(
  { terms, positions, starts, ends }: PlacedTokenList,
  { places, slop }: Pick<Wanted, 'places' | 'slop'>,
  spans: Span[],
): void {
  const candidates = places.map(({ accepts }) =>
    [...terms.keys()].filter((i) => accepts(terms[i] as string)),
  );
  const parts = places.map(({ offset }, i) => ({
    offset,
    positions: (candidates[i] as number[]).map((token) => positions[token] as number),
    // Parts that accept the same token.
    group: candidates.findIndex((other) =>
      other.some((token) => (candidates[i] as number[]).includes(token)),
    ),
  }));
  forEachWindow(parts, slop, (_, cursors) => {
    const found = candidates.map((tokensOfPart, i) => tokensOfPart[cursors[i] as number] as number);
    spans.push({
      start: Math.min(...found.map((token) => starts[token] as number)),
      end: Math.max(...found.map((token) => ends[token] as number)),
    });
  });
}

/** Where each token stands just in its place. */
function addPhrases(
  { terms, positions, starts, ends }: PlacedTokenList,
  places: Wanted['places'],
  spans: Span[],
): void {
  const [first] = places;
  if (first === undefined) return;
  const tokensAt = new Map<number, number[]>();
  for (const [token, position] of positions.entries()) {
    const others = tokensAt.get(position);
    if (others === undefined) tokensAt.set(position, [token]);
    else others.push(token);
  }
  for (const [start, position] of positions.entries()) {
    if (!first.accepts(terms[start] as string)) continue;
    let end = start;
    const isThere = places.every(({ offset, accepts }) => {
      const there = tokensAt.get(position - first.offset + offset);
      const token = there?.find((each) => accepts(terms[each] as string));
      if (token === undefined) return false;
      end = token;
      return true;
    });
    if (isThere) spans.push({ start: starts[start] as number, end: ends[end] as number });
  }
}

/** The tokens of a phrase each for itself; the places that its text leaves out count as slop. */
function addNearTokens(
  { terms, positions, starts, ends }: PlacedTokenList,
  { places, slop }: Pick<Wanted, 'places' | 'slop'>,
  spans: Span[],
): void {
  const candidates = places.map(({ accepts }) =>
    [...terms.keys()].filter((i) => accepts(terms[i] as string)),
  );
  const parts = candidates.map((tokens) => tokens.map((token) => positions[token] as number));
  const [base = 0, last = 0] = [places[0]?.offset, places.at(-1)?.offset];
  const gaps = last - base + 1 - places.length;
  findNear(parts, slop + gaps, slop === 0, (chosen) => {
    for (const [part, at] of chosen.entries()) {
      const token = candidates[part]?.[at] as number;
      spans.push({ start: starts[token] as number, end: ends[token] as number });
    }
  });
}

function merge(spans: Span[]): Span[] {
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
}
