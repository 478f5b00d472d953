import type { BoundFuzzy, BoundPrefix, BoundRegexp, BoundWildcard, OnField } from '@millrace/query';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { fuzzyNode } from './fuzzy.js';
import type { QueryNode } from './QueryNode.js';
import { foldAscii, parseWildcard } from './wildcard.js';
import { codesNode, NO_DOCUMENT } from './setNode.js';

const asIs = (text: string) => text;

/** Terms with a prefix. */
export function compilePrefix(query: BoundPrefix, scope: SearchScope): QueryNode {
  const index = termsOf(query, scope);
  if (index === undefined) return NO_DOCUMENT;
  const { value, boost } = query;
  if (!query.caseInsensitive) return codesInPrefix(index, value, undefined, boost, scope);
  const folded = foldAscii(value);
  return codesInPrefix(index, '', (term) => foldAscii(term).startsWith(folded), boost, scope);
}

/** Terms that match a pattern with `?` and `*`. */
export function compileWildcard(query: BoundWildcard, scope: SearchScope): QueryNode {
  const index = termsOf(query, scope);
  if (index === undefined) return NO_DOCUMENT;
  const { value, boost } = query;
  if (query.caseInsensitive) {
    const pattern = parseWildcard(value, foldAscii);
    return codesInPrefix(index, '', (term) => pattern.matches(foldAscii(term)), boost, scope);
  }
  const pattern = parseWildcard(value, asIs);
  return codesInPrefix(index, pattern.prefix, pattern.matches, boost, scope);
}

/** Terms that match a regular expression as a whole. */
export function compileRegexpQuery(query: BoundRegexp, scope: SearchScope): QueryNode {
  const index = termsOf(query, scope);
  if (index === undefined) return NO_DOCUMENT;
  return codesInPrefix(index, '', query.accepts, query.boost, scope);
}

/** Terms within a number of edits of a word. */
export function compileFuzzy(query: BoundFuzzy, scope: SearchScope): QueryNode {
  const index = termsOf(query, scope);
  if (index === undefined) return NO_DOCUMENT;
  return fuzzyNode(index, String(query.value), query, query.boost, scope);
}

function termsOf({ mapped }: OnField, scope: SearchScope): TermField | TextField | undefined {
  const index = indexOf(scope, mapped);
  return index?.kind === 'term' || index?.kind === 'text' ? index : undefined;
}

/** The terms of a field that have a prefix and pass a test. */
export function codesInPrefix(
  index: TermField | TextField,
  prefix: string,
  accepts: ((term: string) => boolean) | undefined,
  boost: number,
  scope: SearchScope,
): QueryNode {
  const { dictionary } = index;
  const [from, to] = dictionary.ranksOfPrefix(prefix);
  const range = dictionary.inOrder().subarray(from, to);
  if (accepts === undefined) return codesNode(index, range, boost, scope);
  const codes: number[] = [];
  for (let i = 0; i < range.length; i += 1) {
    if ((i & 1023) === 0) scope.deadline.check();
    const code = range[i] as number;
    if (accepts(dictionary.term(code))) codes.push(code);
  }
  return codesNode(index, codes, boost, scope);
}
