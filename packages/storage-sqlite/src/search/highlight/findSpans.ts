import type { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { sloppyOccurrences, type PlacedPart } from '../queries/phraseFrequency.js';
import type { TermTest, Wanted } from './wantedBy.js';

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
  for (const { places, slop, endsInPrefix } of wanted) {
    const [first] = places;
    if (first === undefined) continue;
    const last = endsInPrefix === true && !marksWholePhrases ? places.at(-1) : undefined;
    if (last !== undefined) addTerms(tokens, last.accepts, spans);
    if (places.length === 1) addTerms(tokens, first.accepts, spans);
    else if (slop > 0 && marksWholePhrases) addSloppyPhrases(tokens, places, slop, spans);
    else addPhrases(tokens, places, { slop, marksWholePhrases }, spans);
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
  places: Wanted['places'],
  slop: number,
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
  const tokenOf = ({ part, token }: PlacedPart) => candidates[part]?.[token] as number;
  sloppyOccurrences(parts, slop, (lead, placed) => {
    const first = [lead, ...placed].map((each) => starts[tokenOf(each)] as number);
    const last = [lead, ...placed.filter(({ part }) => part !== lead.part)];
    spans.push({
      start: Math.min(...first),
      end: Math.max(...last.map((each) => ends[tokenOf(each)] as number)),
    });
  });
}

/** From each token of the first place on, the tokens of the other places that are nearest to where they should be. */
function addPhrases(
  { terms, positions, starts, ends }: PlacedTokenList,
  places: Wanted['places'],
  { slop, marksWholePhrases }: { readonly slop: number; readonly marksWholePhrases: boolean },
  spans: Span[],
): void {
  const candidates = places.map(({ accepts }) =>
    [...terms.keys()].filter((i) => accepts(terms[i] as string)),
  );
  const [firsts, ...others] = candidates;
  const base = places[0]?.offset ?? 0;
  // Both lists ascend, so the nearest token never lies before the last one's nearest.
  const cursors = others.map(() => 0);
  for (const first of firsts ?? []) {
    const origin = (positions[first] as number) - base;
    const chosen = [first];
    let [low, high] = [origin, origin];
    for (const [i, other] of others.entries()) {
      const { offset } = places[i + 1] as Wanted['places'][number];
      const placeOf = (token: number) => (positions[token] as number) - offset;
      const distance = (at: number) => Math.abs(placeOf(other[at] as number) - origin);
      let cursor = cursors[i] as number;
      while (cursor + 1 < other.length && distance(cursor + 1) <= distance(cursor)) cursor += 1;
      cursors[i] = cursor;
      // A token stands for one place only.
      const nearest = [cursor, cursor + 1, cursor - 1]
        .map((at) => other[at])
        .find((token) => token !== undefined && !chosen.includes(token));
      if (nearest === undefined) break;
      chosen.push(nearest);
      low = Math.min(low, placeOf(nearest));
      high = Math.max(high, placeOf(nearest));
    }
    if (chosen.length < places.length || high - low > slop) continue;
    if (!marksWholePhrases) {
      for (const token of chosen)
        spans.push({ start: starts[token] as number, end: ends[token] as number });
      continue;
    }
    spans.push({
      start: Math.min(...chosen.map((token) => starts[token] as number)),
      end: Math.max(...chosen.map((token) => ends[token] as number)),
    });
  }
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
