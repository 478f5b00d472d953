import type { BoundTerm, BoundTerms, CoercedTerm } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { anyOf } from './anyOf.js';
import { BooleanTermNode } from './BooleanTermNode.js';
import { CodesNode } from './CodesNode.js';
import { termRangeNode } from './compileRange.js';
import { ConstantScoreNode } from './ConstantScoreNode.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import { NoneNode } from './NoneNode.js';
import { NumberRangeNode } from './NumberRangeNode.js';
import { NumberSetNode } from './NumberSetNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { foldAscii } from './wildcard.js';

/** One exact value. */
export function compileTerm(query: BoundTerm, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  const { term, boost, caseInsensitive } = query;
  if (!caseInsensitive) return termNode(index, term, boost, scope);
  if ((index?.kind === 'term' || index?.kind === 'text') && term.kind === 'text') {
    const folded = foldAscii(term.value);
    const codes = codesWhere(index, (candidate) => foldAscii(candidate) === folded, scope);
    return new CodesNode(index, codes, boost, scope.index.slotCount);
  }
  return new ConstantScoreNode(termNode(index, term, boost, scope), boost);
}

/** The documents with a value in the index of its field. */
export function termNode(
  index: FieldIndex | undefined,
  term: CoercedTerm,
  boost: number,
  scope: SearchScope,
): QueryNode {
  if (index === undefined) return new NoneNode();
  switch (term.kind) {
    case 'none':
      return new NoneNode();
    case 'text':
      return textNode(index, term.value, boost);
    case 'number':
      return index.kind === 'number'
        ? new NumberRangeNode(index.column, term.value, term.value, boost)
        : new NoneNode();
    case 'boolean':
      return index.kind === 'number' ? new BooleanTermNode(index, term.value, boost) : new NoneNode();
    case 'dates':
      return index.kind === 'number'
        ? new NumberRangeNode(index.column, term.firstMs, term.lastMs, boost)
        : new NoneNode();
    case 'ips':
      return index.kind === 'term' ? addressNode(index, term, boost, scope) : new NoneNode();
  }
}

function textNode(index: FieldIndex, term: string, boost: number): QueryNode {
  if (index.kind === 'text') return new TextTermNode(index, term, boost);
  const code = index.kind === 'term' ? index.column.dictionary.find(term) : undefined;
  return index.kind === 'term' && code !== undefined ? new KeywordTermNode(index, code, boost) : new NoneNode();
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
  if (others.length > 0) return new ConstantScoreNode(anyOf(others, scope), query.boost);
  if (index?.kind === 'number') return new NumberSetNode(index.column, numbers, query.boost);
  if (index?.kind !== 'term' && index?.kind !== 'text') return new NoneNode();
  return new CodesNode(index, codesOf(index, texts), query.boost, scope.index.slotCount);
}

function codesOf(index: TermField | TextField, terms: readonly string[]): number[] {
  const dictionary = index.kind === 'term' ? index.column.dictionary : index.dictionary;
  const codes = new Set<number>();
  for (const term of terms) {
    const code = dictionary.find(term);
    if (code !== undefined) codes.add(code);
  }
  return [...codes];
}

/** The codes of the terms that pass a test. A scan of the whole dictionary. */
function codesWhere(index: TermField | TextField, accepts: (term: string) => boolean, scope: SearchScope): number[] {
  const dictionary = index.kind === 'term' ? index.column.dictionary : index.dictionary;
  const codes: number[] = [];
  for (let code = 0; code < dictionary.size; code += 1) {
    if ((code & 4095) === 0) scope.deadline.check();
    if (accepts(dictionary.term(code))) codes.push(code);
  }
  return codes;
}
