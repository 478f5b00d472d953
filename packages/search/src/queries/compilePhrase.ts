import type { BoundMatchBoolPrefix, BoundMatchPhrase, BoundMatchPhrasePrefix, TermsAt } from '@millrace/query';
import type { TextField } from '../fields/TextField.js';
import type { TokenStream } from '../fields/TokenStream.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { anyOf } from './anyOf.js';
import { combineWords, wordsNode } from './compileMatch.js';
import { codesInPrefix } from './compilePatterns.js';
import { PhraseNode, type PhrasePlace } from './PhraseNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { NO_DOCUMENT } from './setNode.js';

/** The words of the query in order. */
export function compilePhrase(query: BoundMatchPhrase, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  if (index?.kind !== 'text') return NO_DOCUMENT;
  const { words } = query;
  const [only] = words;
  if (words.length === 1 && only !== undefined) return termsNode(index, only.terms, query, scope);
  return phraseNode(query, index, placesOf(index, words), scope);
}

/** A phrase whose last word is a prefix of a term. */
export function compilePhrasePrefix(query: BoundMatchPhrasePrefix, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  if (index?.kind !== 'text') return NO_DOCUMENT;
  const { words, maxExpansions } = query;
  const last = words.at(-1) as TermsAt;
  const found = last.terms.flatMap((term) => expand(index, term, maxExpansions));
  const codes = [...new Set(found)].slice(0, maxExpansions);
  if (codes.length === 0) return NO_DOCUMENT;
  if (words.length === 1) {
    const terms = codes.map((code) => index.dictionary.term(code));
    return termsNode(index, terms, query, scope);
  }
  const places = placesOf(index, words.slice(0, -1));
  return phraseNode(query, index, places && [...places, { offset: last.position, codes }], scope);
}

/** Words in any order, the last one as a prefix of a term. */
export function compileBoolPrefix(query: BoundMatchBoolPrefix, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  if (index?.kind !== 'text') return NO_DOCUMENT;
  const { words, boost } = query;
  const last = query.endsInPrefix ? words.length - 1 : -1;
  const nodes = words.map(({ terms }, i) => {
    const [only] = terms;
    return i === last && only !== undefined && terms.length === 1
      ? codesInPrefix(index, only, undefined, boost, scope)
      : wordsNode(index, terms, query, scope);
  });
  return combineWords(nodes, query, scope);
}

/** The phrase positions of tokens; undefined if no document has any term of one position. */
function placesOf(index: TextField, groups: readonly TermsAt[]): PhrasePlace[] | undefined {
  const places: PhrasePlace[] = [];
  for (const { position, terms } of groups) {
    const found = terms.map((term) => index.dictionary.find(term));
    const codes = found.filter((code) => code !== undefined);
    if (codes.length === 0) return undefined;
    places.push({ offset: position, codes });
  }
  return places;
}

/** Any of several terms. */
function termsNode(
  index: TextField,
  terms: readonly string[],
  { boost }: { readonly boost: number },
  scope: SearchScope,
): QueryNode {
  return anyOf(
    terms.map((term) => new TextTermNode(index, term, boost)),
    scope,
  );
}

/** The first terms with this prefix, in term order. */
function expand(index: TextField, prefix: string, limit: number): number[] {
  const { dictionary } = index;
  const [from, to] = dictionary.ranksOfPrefix(prefix);
  return [...dictionary.inOrder().subarray(from, Math.min(to, from + limit))];
}

function phraseNode(
  { slop, boost }: BoundMatchPhrase | BoundMatchPhrasePrefix,
  index: TextField,
  places: readonly PhrasePlace[] | undefined,
  scope: SearchScope,
): QueryNode {
  const stream: TokenStream | undefined = index.stream;
  if (places === undefined || stream === undefined) return NO_DOCUMENT;
  const { slotCount } = scope.index;
  return new PhraseNode(index, stream, places, {
    slop,
    boost,
    slotCount,
    deadline: scope.deadline,
  });
}
