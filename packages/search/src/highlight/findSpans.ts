import { TokenList } from '@millrace/language';
import { forEachWindow } from '../queries/phraseFrequency.js';
import type { SearchedPhrase } from './SearchedPhrase.js';

/** Tokens with their offsets in the text. */
export class PlacedTokenList extends TokenList {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  override add(term: string, position: number, start: number, end: number): void {
    super.add(term, position, start, end);
    this.starts.push(start);
    this.ends.push(end);
  }
}

/** A part of a string, as UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The occurrences of phrases, each from its first to its last token. Ascending; overlapping occurrences are merged. */
export function findSpans(tokens: PlacedTokenList, phrases: readonly SearchedPhrase[]): Span[] {
  const spans = phrases.flatMap((phrase) => occurrencesOf(phrase, tokens));
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  const joined: Span[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) joined.push({ start, end });
    else if (end > last.end) joined[joined.length - 1] = { start: last.start, end };
  }
  return joined;
}

function occurrencesOf(
  { terms: searched, slop }: SearchedPhrase,
  { terms, positions, starts, ends }: PlacedTokenList,
): Span[] {
  const candidates = searched.map(({ accepts }) =>
    [...terms.keys()].filter((token) => accepts(terms[token] as string)),
  );
  const parts = candidates.map((tokens, i) => {
    const accepted = new Set(tokens);
    return {
      offset: searched[i]?.offset ?? 0,
      positions: tokens.map((token) => positions[token] as number),
      // The first term that accepts any of the same tokens.
      group: candidates.findIndex((others) => others.some((token) => accepted.has(token))),
    };
  });
  const spans: Span[] = [];
  forEachWindow(parts, slop, (_, cursors) => {
    const tokens = candidates.map((choices, i) => choices[cursors[i] as number] as number);
    spans.push({
      start: Math.min(...tokens.map((token) => starts[token] as number)),
      end: Math.max(...tokens.map((token) => ends[token] as number)),
    });
  });
  return spans;
}
