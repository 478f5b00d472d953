/* What tells one difference of highlights from another. */
import type { JsonObject } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';
import type { Case } from './Case.js';

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** A pattern of the tags that a request may mark with. */
function tagPattern(request: RequestBody, name: 'pre_tags' | 'post_tags', byDefault: string) {
  const given = JSON.stringify(request).matchAll(new RegExp(`"${name}":\\[?"([^"]*)"`, 'g'));
  const tags = [byDefault, ...Array.from(given, ([, tag = '']) => tag)];
  return tags.map((tag) => tag.replace(/[[\]]/g, '\\$&')).join('|');
}

/** What is marked, with the sign before and behind. */
function marksIn(shown: unknown, request: RequestBody): RegExpMatchArray[] {
  const [before, after] = [
    tagPattern(request, 'pre_tags', '<em>'),
    tagPattern(request, 'post_tags', '</em>'),
  ];
  const pattern = new RegExp(`(.?)(?:${before})(.*?)(?:${after})(?=(.?))`, 'gsu');
  return textsIn(shown).flatMap((text) => [...text.matchAll(pattern)]);
}

/** The marked texts, in the order of the alphabet. */
function markedIn(shown: unknown, request: RequestBody): string[] {
  return marksIn(shown, request)
    .map(([, , marked = '']) => marked)
    .sort();
}

/** Whether as many texts of the same lengths are marked, but others. */
export function marksOthers({ left, right, request }: Case): boolean {
  const [a = [], b = []] = [left, right].map((side) => markedIn(side, request));
  const lengths = (marked: readonly string[]) =>
    marked
      .map(({ length }) => length)
      .sort()
      .join();
  return lengths(a) === lengths(b) && a.join() !== b.join();
}

/** Whether all that one side alone marks holds letters beyond ASCII. */
export function differInForeignLetters({ left, right, request }: Case): boolean {
  const [a = [], b = []] = [left, right].map((side) => markedIn(side, request));
  const others = [...a.filter((one) => !b.includes(one)), ...b.filter((one) => !a.includes(one))];
  return others.length > 0 && others.every((one) => /[^\0-\x7f]/.test(one));
}

/** Whether one side alone shows anything of `copies`, in which nothing is marked. */
export function differInLeadOfCopies({ left, right, request }: Case): boolean {
  const [a = {}, b = {}] = [left, right].map(marksOf);
  const { copies: x, ...restOfA } = a;
  const { copies: y, ...restOfB } = b;
  const keys = Object.keys({ ...restOfA, ...restOfB });
  return (
    (x === undefined) !== (y === undefined) &&
    markedIn(x ?? y, request).length === 0 &&
    keys.every((key) => JSON.stringify(restOfA[key]) === JSON.stringify(restOfB[key]))
  );
}

/** Whether a mark begins or ends within a word, or beside one. */
export function marksPartsOfWords(shown: unknown, request: RequestBody): boolean {
  return marksIn(shown, request).some(([, left = '', marked = '', right = '']) => {
    const [first = '', last = ''] = [[...marked][0], [...marked].at(-1)];
    const isWord = (sign: string) => /^[\p{L}\p{N}\p{Extended_Pictographic}]$/u.test(sign);
    return !isWord(first) || !isWord(last) || isWord(left) || isWord(right);
  });
}

/** Whether both sides show the same texts, in whatever order. */
export function haveSameValues({ left, right }: Case): boolean {
  const [a, b] = [left, right].map((side) => {
    const [value] = Object.values(side as JsonObject);
    // Those of inner hits and of `top_hits` stand deeper.
    const isDeeper = typeof value === 'object' && value !== null && !Array.isArray(value);
    const texts = isDeeper ? Object.values(value)[0] : value;
    return Array.isArray(texts) ? JSON.stringify([...(texts as readonly string[])].sort()) : '';
  });
  return a !== '' && a === b;
}

/** Whether our side shows fields that the other does not, or more of a field. */
export function showsMore({ left, right }: Case): boolean {
  return JSON.stringify(left).length > (JSON.stringify(right) ?? '').length;
}

const NUMBERS =
  /(double|float|integer|long|short|byte|date|ip|boolean|geo_point|Long|Float|Flag|Date|dynObject\.inner)\d*$/;

/** Whether the server shows fields that we don't, all of them of numbers and the like. */
export function showsNumbersBeside({ left, right }: Case): boolean {
  const [a = {}, b = {}] = [left, right].map(marksOf);
  const added = Object.keys(b).filter((key) => !(key in a));
  return !Array.isArray(b) && added.length > 0 && added.every((key) => NUMBERS.test(key));
}

/** The marks of a hit by field, or of one field; those of `top_hits` and inner hits stand deeper. */
function marksOf(side: unknown): JsonObject {
  let at = side as JsonObject;
  for (;;) {
    const [[key, inner] = ['', {}]] = Object.entries(at);
    if (!/^(aggregations\.|inner_hits of |highlight of )/.test(key)) return at;
    at = (inner ?? {}) as JsonObject;
  }
}

/** The `highlight`s that may have made what is compared: that of the search, those of inner hits or of aggregations. */
export function highlightsOf({ kind, request }: Case): JsonObject[] {
  const { highlight, aggs, aggregations, ...queries } = request;
  if (kind === 'highlight') return [highlight as JsonObject];
  return deepHighlights(kind.startsWith('inner_hits') ? queries : [aggs ?? aggregations]);
}

function deepHighlights(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'highlight' ? [inner as JsonObject] : deepHighlights(inner),
  );
}
