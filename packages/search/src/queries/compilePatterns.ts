import { lowerCase } from '@millrace/language';
import {
  compileRegexp,
  type FuzzyQuery,
  type PrefixQuery,
  type RegexpQuery,
  type WildcardQuery,
} from '@millrace/query';
import type { TermDictionary } from '../columns/TermDictionary.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { CodesNode } from './CodesNode.js';
import { compileTerm } from './compileTerm.js';
import { fuzzyNode } from './fuzzy.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { foldAscii, parseWildcard } from './wildcard.js';

const asIs = (text: string) => text;

/** Terms with a prefix. */
export function compilePrefix(query: PrefixQuery, scope: SearchScope): QueryNode {
  const field = termsOf(query, scope);
  if (field === undefined) return new NoneNode();
  if (!query.caseInsensitive) {
    const value = normalised(field, query.value);
    return codesInPrefix(field, value, undefined, query.boost, scope);
  }
  const folded = foldAscii(query.value);
  return codesInPrefix(field, '', (term) => foldAscii(term).startsWith(folded), query.boost, scope);
}

/** Terms that match a pattern with `?` and `*`. */
export function compileWildcard(query: WildcardQuery, scope: SearchScope): QueryNode {
  const field = termsOf(query, scope);
  if (field === undefined) return new NoneNode();
  if (query.caseInsensitive) {
    const pattern = parseWildcard(query.value, foldAscii);
    return codesInPrefix(field, '', (term) => pattern.matches(foldAscii(term)), query.boost, scope);
  }
  const pattern = parseWildcard(normalised(field, query.value), asIs);
  return codesInPrefix(field, pattern.prefix, pattern.matches, query.boost, scope);
}

/** Terms that match a regular expression as a whole. */
export function compileRegexpQuery(query: RegexpQuery, scope: SearchScope): QueryNode {
  const field = termsOf(query, scope);
  const value = field === undefined ? query.value : normalised(field, query.value);
  const pattern = compileRegexp(value, {
    flags: query.flags,
    caseInsensitive: query.caseInsensitive,
    path: query.path,
  });
  if (field === undefined) return new NoneNode();
  return codesInPrefix(field, '', pattern, query.boost, scope);
}

/** Terms within a number of edits of a word. */
export function compileFuzzy(query: FuzzyQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  const index = scope.index.indexOf(field);
  if (field.type !== 'text' && field.type !== 'keyword') {
    throw new Refusal(
      `A fuzzy query can't be put to the field "${field.name}" of type ${field.type} (at ${query.path})`,
    );
  }
  if (index?.kind !== 'term' && index?.kind !== 'text') return new NoneNode();
  if (query.fuzziness.kind === 'edits' && query.fuzziness.edits === 0) {
    const { boost, path, value } = query;
    return compileTerm(
      { kind: 'term', field: query.field, value, boost, path, caseInsensitive: false },
      scope,
    );
  }
  return fuzzyNode(index, String(query.value), query, query.boost, scope);
}

function termsOf(
  query: PrefixQuery | WildcardQuery | RegexpQuery,
  scope: SearchScope,
): TermField | TextField | undefined {
  const field = queriedField(scope, query);
  if (field === undefined) return undefined;
  if (field.type !== 'text' && field.type !== 'keyword') {
    throw new Refusal(
      `A ${query.kind} query needs a keyword or text field, and "${field.name}" is of type ${field.type} (at ${query.path})`,
    );
  }
  const index = scope.index.indexOf(field);
  return index?.kind === 'term' || index?.kind === 'text' ? index : undefined;
}

// The terms of a field with the normalizer "lowercase" are lower case, so the pattern has to be.
function normalised(index: TermField | TextField, text: string): string {
  return index.field.isLowerCased ? lowerCase(text) : text;
}

/** The terms of a field that have a prefix and pass a test. */
export function codesInPrefix(
  index: TermField | TextField,
  prefix: string,
  accepts: ((term: string) => boolean) | undefined,
  boost: number,
  scope: SearchScope,
): QueryNode {
  const dictionary: TermDictionary =
    index.kind === 'term' ? index.column.dictionary : index.dictionary;
  const [from, to] = dictionary.ranksOfPrefix(prefix);
  const range = dictionary.inOrder().subarray(from, to);
  if (accepts === undefined) return new CodesNode(index, range, boost, scope.index.slotCount);
  const codes: number[] = [];
  for (let i = 0; i < range.length; i += 1) {
    if ((i & 1023) === 0) scope.deadline.check();
    const code = range[i] as number;
    if (accepts(dictionary.term(code))) codes.push(code);
  }
  return new CodesNode(index, codes, boost, scope.index.slotCount);
}
