import type {
  CompiledField,
  MatchBoolPrefixQuery,
  MatchPhrasePrefixQuery,
  MatchPhraseQuery,
} from '@millrace/query';
import { analyzerOf } from '../analysis/Analyzer.js';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import type { TokenList } from '../analysis/TokenList.js';
import type { TextField } from '../fields/TextField.js';
import type { TokenStream } from '../fields/TokenStream.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { anyOf } from './anyOf.js';
import { combineTokens, tokenNode } from './compileMatch.js';
import { codesInPrefix } from './compilePatterns.js';
import { valueNode } from './compileTerm.js';
import { NoneNode } from './NoneNode.js';
import { PhraseNode, type PhrasePlace } from './PhraseNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { lowerCase } from '../analysis/lowerCase.js';

/** The tokens of a text in their order. */
export function compilePhrase(query: MatchPhraseQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type === 'keyword' && query.analyzer !== undefined) {
    return analysedValue(query, field, scope);
  }
  if (field.type !== 'text') return wholeValue(query, field, scope);
  const tokens = analyse(field, query.query, query.analyzer ?? field.searchQuoteAnalyzer);
  if (tokens.length === 0) return emptyText(query, scope);
  const index = scope.index.indexOf(field);
  if (tokens.length > 1 && !field.hasPositions) return refusePositions(query, field);
  if (index?.kind !== 'text') return new NoneNode();
  const [only] = tokens.terms;
  if (tokens.length === 1 && only !== undefined) return new TextTermNode(index, only, query.boost);
  return phraseNode(query, index, placesOf(index, tokens, tokens.length), scope);
}

/** A phrase whose last token is the beginning of a term. */
export function compilePhrasePrefix(query: MatchPhrasePrefixQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text') {
    if (query.lenient) return new NoneNode();
    throw new Refusal(
      `A ${query.kind} query needs a text field, and "${field.name}" is of type ${field.type} (at ${query.path})`,
    );
  }
  const tokens = analyse(field, query.query, query.analyzer ?? field.searchQuoteAnalyzer);
  if (tokens.length === 0) return emptyText(query, scope);
  const index = scope.index.indexOf(field);
  if (tokens.length > 1 && !field.hasPositions) return refusePositions(query, field);
  if (index?.kind !== 'text') return new NoneNode();
  const last = tokens.length - 1;
  const codes = expand(index, tokens.terms[last] as string, query.maxExpansions);
  if (codes.length === 0) return new NoneNode();
  if (last === 0) {
    const terms = codes.map((code) => index.dictionary.term(code));
    return anyOf(
      terms.map((term) => new TextTermNode(index, term, query.boost)),
      scope,
    );
  }
  const places = placesOf(index, tokens, last);
  const offset = tokens.positions[last] as number;
  return phraseNode(query, index, places && [...places, { offset, codes }], scope);
}

/** Tokens in any order, the last one as the beginning of a term. */
export function compileBoolPrefix(query: MatchBoolPrefixQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  const index = scope.index.indexOf(field);
  if (field.type !== 'text' && field.type !== 'keyword') {
    if (query.lenient) return new NoneNode();
    throw new Refusal(
      `A ${query.kind} query needs a text or keyword field, and "${field.name}" is of type ${field.type} (at ${query.path})`,
    );
  }
  if (field.type === 'keyword') {
    if (index?.kind !== 'term') return new NoneNode();
    const prefix = field.isLowerCased ? lowerCase(String(query.query)) : String(query.query);
    return codesInPrefix(index, prefix, undefined, query.boost, scope);
  }
  const tokens = new PlacedTokenList();
  const text = String(query.query);
  analyzerOf(query.analyzer ?? field.searchAnalyzer)(text, tokens, 0);
  const { terms } = tokens;
  if (index?.kind !== 'text') return new NoneNode();
  // What follows the last token, if only a blank, ends its word.
  const last = tokens.ends.at(-1) === text.length ? terms.length - 1 : -1;
  const nodes = terms.map((term, i) =>
    i === last
      ? codesInPrefix(index, term, undefined, query.boost, scope)
      : tokenNode(index, term, query, scope),
  );
  return combineTokens(nodes, query, scope);
}

/** The places of the first tokens; undefined where no document has one of them. */
function placesOf(
  index: TextField,
  { terms, positions }: TokenList,
  count: number,
): PhrasePlace[] | undefined {
  const places: PhrasePlace[] = [];
  for (let i = 0; i < count; i += 1) {
    const code = index.dictionary.find(terms[i] as string);
    if (code === undefined) return undefined;
    places.push({ offset: positions[i] as number, codes: [code] });
  }
  return places;
}

/** The first terms, in their order, with this beginning. */
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
  { zeroTermsQuery, boost }: MatchPhraseQuery | MatchPhrasePrefixQuery,
  scope: SearchScope,
): QueryNode {
  return zeroTermsQuery === 'all' ? new AllNode(scope.index, boost) : new NoneNode();
}

/** Other fields than text compare the whole value. */
function wholeValue(query: MatchPhraseQuery, field: CompiledField, scope: SearchScope): QueryNode {
  try {
    return valueNode(field, String(query.query), query.boost, query.path, scope);
  } catch (error) {
    if (query.lenient) return new NoneNode();
    throw error;
  }
}

/** A keyword has no positions: what an analyzer makes several tokens of is no phrase for it. */
function analysedValue(
  query: MatchPhraseQuery,
  field: CompiledField,
  scope: SearchScope,
): QueryNode {
  const { terms } = analyse(field, query.query, query.analyzer);
  const [only, second] = terms;
  if (only === undefined) return emptyText(query, scope);
  if (second === undefined) return valueNode(field, only, query.boost, query.path, scope);
  return refusePositions(query, field);
}

function refusePositions(
  query: MatchPhraseQuery | MatchPhrasePrefixQuery,
  field: CompiledField,
): QueryNode {
  if (query.lenient) return new NoneNode();
  throw new Refusal(
    `The field "${field.name}" keeps no positions and can't be searched for phrases (at ${query.path})`,
  );
}
