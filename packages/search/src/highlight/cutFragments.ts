import type { Span } from './findSpans.js';

/** A part of a string, and the spans to mark in it. */
export interface Fragment extends Span {
  readonly text: string;
  readonly spans: readonly Span[];
}

const SENTENCE_END = /[.!?]+["'\u201D\u2019)\]]*\s+|[\u3002\uFF01\uFF1F]+\s*|\n+/g;

/**
 * The fragments of a string that contain spans: whole sentences, as many as fit into the size. A longer sentence is
 * split between words.
 * @param size in UTF-16 units; 0: one sentence each
 */
export function cutFragments(text: string, spans: readonly Span[], size: number): Fragment[] {
  const borders = bordersOf(text, size);
  const borderAt = (i: number) => borders[i] ?? text.length;
  const fragments: Fragment[] = [];
  let from = 0;
  for (let i = 0; i < spans.length;) {
    const first = spans[i] as Span;
    while (borderAt(from + 1) <= first.start) from += 1;
    const start = borderAt(from);
    let to = from + 1;
    while (to + 1 < borders.length && borderAt(to + 1) - start <= size) to += 1;
    const inside: Span[] = [];
    for (let span = spans[i]; span !== undefined && span.start < borderAt(to); span = spans[i]) {
      inside.push(span);
      // A phrase may extend beyond the end of a sentence.
      while (borderAt(to) < span.end) to += 1;
      i += 1;
    }
    fragments.push({ text, start, end: borderAt(to), spans: inside });
    from = to;
  }
  return fragments;
}

/** Positions where a fragment may begin or end, ascending: from 0 to the length of the string. */
function bordersOf(text: string, size: number): number[] {
  const borders = [0];
  const addSentence = (end: number) => {
    let start = borders.at(-1) ?? 0;
    while (size > 0 && end - start > size) {
      const space = text.lastIndexOf(' ', start + size - 1);
      const border = (space > start ? space : text.indexOf(' ', start + size)) + 1;
      if (border === 0 || border >= end) break;
      borders.push(border);
      start = border;
    }
    if (end > start) borders.push(end);
  };
  for (const { index, 0: match } of text.matchAll(SENTENCE_END)) addSentence(index + match.length);
  addSentence(text.length);
  return borders;
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
/** Longer words are cut. */
const MAX_WORD_LENGTH = 1_000;

/** The beginning of a string: `size` UTF-16 units, and the rest of the last word. */
export function leadOf(text: string, size: number): string {
  let end = 0;
  for (const { segment } of WORDS.segment(text.slice(0, size + MAX_WORD_LENGTH))) {
    end += segment.length;
    if (end >= size) break;
  }
  return text.slice(0, end);
}
