import type { Span } from './findSpans.js';

/** A piece of a text that is shown, with what is marked in it. */
export interface Fragment extends Span {
  readonly spans: readonly Span[];
}

/** The end of a sentence: what follows begins the next one. */
const SENTENCE_END = /[.!?\u3002\uFF01\uFF1F]+["'\u201D\u2019)\]]*(?:\s+|$)|\n+/g;

/**
 * The pieces of a text around its spans. Each begins with a sentence, or within one that is too long at a word; it goes on
 * by whole sentences, or words, until it is `size` characters long.
 * @param size 0: one sentence each
 */
export function cutFragments(text: string, spans: readonly Span[], size: number): Fragment[] {
  const borders = sentenceBorders(text);
  const fragments: Fragment[] = [];
  let previousEnd = 0;
  for (let i = 0; i < spans.length;) {
    const span = spans[i] as Span;
    const start = Math.max(previousEnd, startFor(text, borders, span, size));
    const end = Math.max(span.end, endFor(text, borders, start, span, size));
    const inside: Span[] = [];
    for (; i < spans.length && (spans[i] as Span).end <= end; i += 1) inside.push(spans[i] as Span);
    fragments.push({ start, end, spans: inside });
    previousEnd = end;
  }
  return fragments;
}

/** Java takes each picture of a joined one for a word. */
const JOINT = /(?<=\u200d)(?=\p{Extended_Pictographic})/u;
const COMPOUND = /^\p{L}[\p{Pd}"]\p{L}$/u;
const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
/** Longer words are cut. */
const MAX_WORD_LENGTH = 1_000;

/** The beginning of a text, for fields without a match: up to the first border of a word beyond `size`. */
export function leadOf(text: string, size: number): string {
  if (text.length <= size) return text;
  // Java takes the second half of a character that is cut in two for a word.
  if (/[\uD800-\uDBFF]/.test(text[size - 1] ?? '')) return text.slice(0, size + 1);
  let end = 0;
  for (const { segment } of WORDS.segment(text.slice(0, size + MAX_WORD_LENGTH))) {
    for (const { length } of segment.split(JOINT)) {
      end += length;
      if (end > size && !isInCompound(text, end)) return text.slice(0, end);
    }
  }
  return text.slice(0, end);
}

/** Java takes words that a hyphen or a quotation mark joins for one. */
function isInCompound(text: string, at: number): boolean {
  return COMPOUND.test(text.slice(at - 2, at + 1)) || COMPOUND.test(text.slice(at - 1, at + 2));
}

function sentenceBorders(text: string): number[] {
  const borders = [0];
  for (const { index, 0: match } of text.matchAll(SENTENCE_END)) borders.push(index + match.length);
  if (borders.at(-1) !== text.length) borders.push(text.length);
  return borders;
}

function startFor(text: string, borders: readonly number[], span: Span, size: number): number {
  const sentence = borders[firstFrom(borders, span.start + 1) - 1] ?? 0;
  const room = Math.max(0, size - (span.end - span.start));
  if (size === 0 || span.start - sentence <= room) return sentence;
  const earliest = span.start - (room >>> 1);
  const space = text.indexOf(' ', earliest);
  return space === -1 || space >= span.start ? span.start : space + 1;
}

function endFor(
  text: string,
  borders: readonly number[],
  start: number,
  span: Span,
  size: number,
): number {
  const limit = start + size;
  let at = firstFrom(borders, span.end);
  let end = borders[at] ?? text.length;
  for (at += 1; at < borders.length && (borders[at] as number) <= limit; at += 1)
    end = borders[at] as number;
  if (size === 0 || end <= limit) return end;
  const space = text.indexOf(' ', Math.max(limit, span.end));
  return space === -1 || space > end ? end : space;
}

/** The place of the first border that is at least `value`. */
function firstFrom(borders: readonly number[], value: number): number {
  let low = 0;
  let high = borders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((borders[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
