import type { BoundTerm, BoundTerms, CoercedTerm } from '@millrace/query';
import type { NumberColumn } from '../columns/NumberColumn.js';
import type { FieldIndex, NumberField } from '../fields/FieldIndex.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { anyOf } from './anyOf.js';
import { lengthFactor, termWeight, type FieldStatistics } from './bm25.js';
import { termRangeNode } from './compileRange.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import { constantMatches } from './Matches.js';
import { NumberRangeNode } from './NumberRangeNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { foldAscii } from './wildcard.js';
import { codesNode, NO_DOCUMENT, setNode, withConstantScore } from './setNode.js';

/** One exact value. */
export function compileTerm(query: BoundTerm, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  const { term, boost, caseInsensitive } = query;
  if (!caseInsensitive) return termNode(index, term, boost, scope);
  if ((index?.kind === 'term' || index?.kind === 'text') && term.kind === 'text') {
    const folded = foldAscii(term.value);
    const codes = codesWhere(index, (candidate) => foldAscii(candidate) === folded, scope);
    return codesNode(index, codes, boost, scope);
  }
  return withConstantScore(termNode(index, term, boost, scope), boost);
}

/** The documents with a value in the index of its field. */
export function termNode(
  index: FieldIndex | undefined,
  term: CoercedTerm,
  boost: number,
  scope: SearchScope,
): QueryNode {
  if (index === undefined) return NO_DOCUMENT;
  switch (term.kind) {
    case 'none':
      return NO_DOCUMENT;
    case 'text':
      return textNode(index, term.value, boost);
    case 'number':
      return index.kind === 'number' ? new NumberRangeNode(index.column, term.value, term.value, boost) : NO_DOCUMENT;
    case 'boolean':
      return index.kind === 'number' ? booleanNode(index, term.value, boost) : NO_DOCUMENT;
    case 'dates':
      return index.kind === 'number'
        ? new NumberRangeNode(index.column, term.firstMs, term.lastMs, boost)
        : NO_DOCUMENT;
    case 'ips':
      return index.kind === 'term' ? addressNode(index, term, boost, scope) : NO_DOCUMENT;
  }
}

function textNode(index: FieldIndex, term: string, boost: number): QueryNode {
  if (index.kind === 'text') return new TextTermNode(index, term, boost);
  const code = index.kind === 'term' ? index.column.dictionary.find(term) : undefined;
  return index.kind === 'term' && code !== undefined ? new KeywordTermNode(index, code, boost) : NO_DOCUMENT;
}

// An address is a range of one, so its score is constant.
function addressNode(
  index: TermField,
  { first, last }: Extract<CoercedTerm, { kind: 'ips' }>,
  boost: number,
  scope: SearchScope,
): QueryNode {
  const range = {
    lower: { value: first, inclusive: true },
    upper: { value: last, inclusive: true },
  };
  return termRangeNode(index, range, boost, scope);
}

/** Any of several values, with a constant score. */
export function compileTerms(query: BoundTerms, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  const numbers = new Set<number>();
  const texts: string[] = [];
  const others: QueryNode[] = [];
  for (const term of query.terms) {
    if (term.kind === 'number') numbers.add(term.value);
    else if (term.kind === 'boolean') numbers.add(term.value ? 1 : 0);
    else if (term.kind === 'text') texts.push(term.value);
    else if (term.kind !== 'none') others.push(termNode(index, term, 1, scope));
  }
  if (others.length > 0) return withConstantScore(anyOf(others, scope), query.boost);
  if (index?.kind === 'number') return numbersNode(index.column, numbers, query.boost);
  if (index?.kind !== 'term' && index?.kind !== 'text') return NO_DOCUMENT;
  return codesNode(index, codesOf(index, texts), query.boost, scope);
}

function codesOf(index: TermField | TextField, terms: readonly string[]): number[] {
  const { dictionary } = index;
  const codes = new Set<number>();
  for (const term of terms) {
    const code = dictionary.find(term);
    if (code !== undefined) codes.add(code);
  }
  return [...codes];
}

/** The codes of the terms that pass a test. A scan of the whole dictionary. */
function codesWhere(index: TermField | TextField, accepts: (term: string) => boolean, scope: SearchScope): number[] {
  const { dictionary } = index;
  const codes: number[] = [];
  for (let code = 0; code < dictionary.size; code += 1) {
    if ((code & 4095) === 0) scope.deadline.check();
    if (accepts(dictionary.term(code))) codes.push(code);
  }
  return codes;
}

/** Documents with one of several numbers, with a constant score. A scan of the column. */
function numbersNode(column: NumberColumn, wanted: ReadonlySet<number>, score: number): QueryNode {
  const low = [...wanted].reduce((least, value) => Math.min(least, value), Infinity);
  const high = [...wanted].reduce((most, value) => Math.max(most, value), -Infinity);
  const has = (slot: number) => {
    const value = column.first(slot);
    // Most values are outside the bounds and skip the set lookup.
    if (value >= low && value <= high && wanted.has(value)) return true;
    if (column.more.size === 0) return false;
    return column.more.get(slot)?.some((one) => wanted.has(one)) ?? false;
  };
  const find = () => {
    const slots = new Int32Array(column.length);
    let count = 0;
    for (let slot = 0; slot < slots.length; slot += 1) if (has(slot)) slots[count++] = slot;
    return slots.slice(0, count);
  };
  return setNode(score, () => (wanted.size === 0 ? 0 : column.length), find, has);
}

/** Documents with one boolean value, scored by BM25 like a keyword with the terms true and false. */
function booleanNode({ column }: NumberField, value: boolean, boost: number): QueryNode {
  const number = value ? 1 : 0;
  const scan = new NumberRangeNode(column, number, number, 0);
  const scoreFor = (matchCount: number) => {
    const statistics = booleanStatistics(column);
    return termWeight(statistics, matchCount, boost) / (1 + lengthFactor(statistics, 1));
  };
  return {
    test: scan.test,
    get constantScore() {
      return scoreFor(scan.match().slots.length);
    },
    estimate: () => scan.estimate(),
    match: (isScored) => {
      const { slots } = scan.match();
      return constantMatches(slots, isScored ? scoreFor(slots.length) : 0);
    },
  };
}

/** Statistics of a boolean field, treated as a field with the terms true and false. */
function booleanStatistics(column: NumberColumn): FieldStatistics {
  let documentCount = 0;
  for (let slot = 0; slot < column.length; slot += 1) {
    if (!Number.isNaN(column.values[slot])) documentCount += 1;
  }
  let tokenCount = documentCount;
  for (const values of column.more.values()) if (values[0] !== values.at(-1)) tokenCount += 1;
  return { documentCount, tokenCount };
}
