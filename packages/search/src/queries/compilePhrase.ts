import { lowerCase } from '@millrace/language';
import {
  analyzerOf,
  isPlainValue,
  type CompiledField,
  type MatchBoolPrefixQuery,
  type MatchPhrasePrefixQuery,
  type MatchPhraseQuery,
} from '@millrace/query';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import type { TextField } from '../fields/TextField.js';
import type { TokenStream } from '../fields/TokenStream.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { anyOf } from './anyOf.js';
import { byPosition, type TermsAt } from './byPosition.js';
import {
  combineTokens,
  lenientValueNode,
  searchedTerms,
  wordNode,
  wordsNode,
} from './compileMatch.js';
import { valueNode } from './compileTerm.js';
import { codesInPrefix } from './compilePatterns.js';
import { NoneNode } from './NoneNode.js';
import { PhraseNode, type PhrasePlace } from './PhraseNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

/** The tokens of the text in order. `assertPhrase` refuses a field without positions, unless the query is lenient. */
export function compilePhrase(query: MatchPhraseQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text') return valuePhrase(query, field, scope);
  const tokens = analyse(field, query.query, query.analyzer ?? field.searchQuoteAnalyzer);
  if (tokens.length === 0) return emptyText(query, scope);
  const index = scope.index.indexOf(field);
  if (index?.kind !== 'text') return new NoneNode();
  const groups = byPosition(tokens);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return termsNode(index, only.terms, query, scope);
  return phraseNode(query, index, placesOf(index, groups), scope);
}

/** A phrase whose last token is a prefix of a term. */
export function compilePhrasePrefix(query: MatchPhrasePrefixQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text' && searchedTerms(field, query).length > 0) return new NoneNode();
  const tokens = analyse(field, query.query, query.analyzer ?? field.searchQuoteAnalyzer);
  if (tokens.length === 0) return emptyText(query, scope);
  const index = scope.index.indexOf(field);
  if (index?.kind !== 'text') return new NoneNode();
  const groups = byPosition(tokens);
  const last = groups.at(-1) as TermsAt;
  const found = last.terms.flatMap((term) => expand(index, term, query.maxExpansions));
  const codes = [...new Set(found)].slice(0, query.maxExpansions);
  if (codes.length === 0) return new NoneNode();
  if (groups.length === 1) {
    const terms = codes.map((code) => index.dictionary.term(code));
    return termsNode(index, terms, query, scope);
  }
  const places = placesOf(index, groups.slice(0, -1));
  return phraseNode(query, index, places && [...places, { offset: last.position, codes }], scope);
}

/** Tokens in any order, the last one as a prefix of a term. */
export function compileBoolPrefix(query: MatchBoolPrefixQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text' && query.analyzer === undefined) {
    const value = String(query.query);
    return field.type === 'keyword'
      ? prefixNode(field, value, query, scope)
      : wordNode(field, value, query, scope);
  }
  const tokens = new PlacedTokenList();
  const text = String(query.query);
  analyzerOf(field, query.analyzer ?? field.searchAnalyzer).analyze(text, tokens, 0);
  const groups = byPosition(tokens);
  if (groups.length === 0) return emptyText(query, scope);
  // A character after the last token, such as a blank, completes its word.
  const last = tokens.ends.at(-1) === text.length ? groups.length - 1 : -1;
  const nodes = groups.map(({ terms }, i) => {
    const [only] = terms;
    return i === last && only !== undefined && terms.length === 1
      ? prefixNode(field, only, query, scope)
      : wordsNode(field, terms, query, scope);
  });
  return combineTokens(nodes, query, scope);
}

function prefixNode(
  field: CompiledField,
  prefix: string,
  query: MatchBoolPrefixQuery,
  scope: SearchScope,
): QueryNode {
  const index = scope.index.indexOf(field);
  if (field.type === 'text' || field.type === 'keyword') {
    if (index?.kind !== 'term' && index?.kind !== 'text') return new NoneNode();
    const beginning = field.isLowerCased ? lowerCase(prefix) : prefix;
    return codesInPrefix(index, beginning, undefined, query.boost, scope);
  }
  if (query.lenient) return new NoneNode();
  throw new Refusal(
    `A beginning of a word needs a text or keyword field, and "${field.name}" is of type ${field.type} (at ${query.path})`,
  );
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
  { slop, boost }: MatchPhraseQuery | MatchPhrasePrefixQuery,
  index: TextField,
  places: readonly PhrasePlace[] | undefined,
  scope: SearchScope,
): QueryNode {
  const stream: TokenStream | undefined = index.stream;
  if (places === undefined || stream === undefined) return new NoneNode();
  const { slotCount } = scope.index;
  return new PhraseNode(index, stream, places, {
    slop,
    boost,
    slotCount,
    deadline: scope.deadline,
  });
}

function emptyText(
  { zeroTermsQuery, boost }: MatchPhraseQuery | MatchPhrasePrefixQuery | MatchBoolPrefixQuery,
  scope: SearchScope,
): QueryNode {
  return zeroTermsQuery === 'all' ? new AllNode(scope.index, boost) : new NoneNode();
}

/** Fields other than text have no positions, so they can't match a phrase of several tokens. */
function valuePhrase(query: MatchPhraseQuery, field: CompiledField, scope: SearchScope): QueryNode {
  if (isPlainValue(field, query))
    return valueNode(field, query.query, query.boost, query.path, scope);
  const [only, second] = searchedTerms(field, query);
  if (only === undefined) return emptyText(query, scope);
  if (second === undefined) return lenientValueNode(field, only, query, scope);
  return new NoneNode();
}
