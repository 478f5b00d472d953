import type { HighlightField } from '@millrace/query';
import type { Fragment } from './cutFragments.js';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['"', '&quot;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#x27;'],
  ['/', '&#x2F;'],
]);

/** A fragment with tags around its spans. Trimmed, unless whole values are requested. */
export function markFragment(
  { text, start, end, spans }: Fragment,
  { preTags, postTags, encoder, numberOfFragments }: HighlightField,
): string {
  const [before = '<em>'] = preTags;
  const [after = '</em>'] = postTags;
  const encode = (part: string) =>
    encoder === 'html' ? part.replace(/["&<>'/]/g, (sign) => ENTITIES.get(sign) ?? sign) : part;
  let marked = '';
  let at = start;
  for (const span of spans) {
    marked += encode(text.slice(at, span.start)) + before;
    marked += encode(text.slice(span.start, span.end)) + after;
    at = span.end;
  }
  marked += encode(text.slice(at, end));
  return numberOfFragments === 0 ? marked : marked.trim();
}
