import type { JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { LuceneFault, parseLucene } from '../lucene/LuceneReader.js';
import type { LuceneNode } from '../lucene/LuceneNode.js';
import { parseSimple, SIMPLE_FLAGS, type SimpleFlag } from '../lucene/parseSimple.js';
import { present } from '../present.js';
import { expandFields } from './expandFields.js';
import { isAllFields } from '../lucene/LuceneWriter.js';
import { checkContentField, checkFieldName } from '../parse/checkFieldName.js';
import { Options } from '../parse/Options.js';
import { AUTO_FUZZINESS, parseFuzziness } from '../parse/parseFuzziness.js';
import { readBase } from '../parse/queryBase.js';
import type { QueryParser } from '../parse/QueryParser.js';
import type { MinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import type { MultiMatchType, QueryBase, WeightedField } from '../tree/Query.js';
import { MULTI_MATCH_TYPES, parseWeightedField, readWeightedFields } from './multiMatchKinds.js';
import type { QueryKind } from './QueryKind.js';
import { readTimeZone } from './termKinds.js';
import { OPERATORS, readMinimumShouldMatch } from './textOptions.js';

/** `query_string` or `simple_query_string`; replaced by `bindQuery`. */
export interface QueryStringQuery extends QueryBase {
  readonly kind: 'query_string';
  readonly syntax: LuceneNode;
  /** Names or patterns; empty: all searchable fields. */
  readonly fields: readonly WeightedField[];
  readonly defaultOperator: 'or' | 'and';
  readonly analyzer?: string;
  readonly quoteAnalyzer?: string;
  /** Prefixes are analysed. */
  readonly analyzesWildcard: boolean;
  readonly lenient: boolean;
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  readonly type: MultiMatchType;
  readonly phraseSlop: number;
  readonly tieBreaker?: number;
  readonly timeZone?: string;
}

const MAX_TEXT_LENGTH = 32_768;

function parseQueryString(value: JsonValue | undefined, path: string, parser: QueryParser): QueryStringQuery {
  const options = Options.from(value, path, 'query_string');
  const text = readText(options);
  const mayLead = options.boolean('allow_leading_wildcard') ?? true;
  const common = readCommon(options);
  const fuzziness = options.raw('fuzziness');
  if (options.has('fields') && options.has('default_field')) {
    throw invalid(path, `query_string at ${path} takes "fields" or "default_field", not both`);
  }
  if (options.boolean('escape') === true) {
    throw invalid(`${path}.escape`, `"escape" of query_string at ${path} is not supported`);
  }
  const fields = options.has('fields') ? common.fields : readDefaultField(options);
  options.drop('default_field', 'enable_position_increments', 'max_determinized_states');
  const phraseSlop = options.number('phrase_slop', { min: 0, isInteger: true }) ?? 0;
  const syntax = readSyntax(text, path, {
    countClause: () => {
      parser.countClause(path);
    },
    defaultOperator: common.defaultOperator,
    fuzziness: fuzziness === undefined ? AUTO_FUZZINESS : parseFuzziness(fuzziness, `${path}.fuzziness`),
    phraseSlop,
  });
  const query: QueryStringQuery = {
    ...common,
    syntax,
    fields,
    lenient: options.boolean('lenient') ?? isAllFields(fields),
    phraseSlop,
    type: options.choice('type', MULTI_MATCH_TYPES) ?? 'best_fields',
    ...present({
      tieBreaker: options.number('tie_breaker', { min: 0, max: 1 }),
      timeZone: readTimeZone(options),
    }),
  };
  options.end();
  checkSyntax(syntax, path, mayLead);
  return query;
}

function parseSimpleQueryString(value: JsonValue | undefined, path: string, parser: QueryParser): QueryStringQuery {
  const options = Options.from(value, path, 'simple_query_string');
  const text = readText(options);
  const flags = readFlags(options);
  const common = readCommon(options);
  const syntax = parseSimple(text, {
    countClause: () => {
      parser.countClause(path);
    },
    flags,
    defaultOperator: common.defaultOperator,
  });
  options.end();
  checkSyntax(syntax, path, true);
  return { ...common, syntax, phraseSlop: 0, type: 'most_fields' };
}

function readText(options: Options): string {
  const text = options.looseText('query') ?? options.fail('query', 'a string');
  return text.length <= MAX_TEXT_LENGTH ? text : options.fail('query', `at most ${MAX_TEXT_LENGTH} characters long`);
}

type Common = Omit<QueryStringQuery, 'syntax' | 'phraseSlop' | 'type'>;

function readCommon(options: Options): Common {
  const fields = readWeightedFields(options, true);
  return {
    kind: 'query_string',
    fields,
    defaultOperator: options.choice('default_operator', OPERATORS) ?? 'or',
    lenient: options.boolean('lenient') ?? isAllFields(fields),
    analyzesWildcard: options.boolean('analyze_wildcard') ?? false,
    fuzzyPrefixLength: options.number('fuzzy_prefix_length', { min: 0, isInteger: true }) ?? 0,
    fuzzyMaxExpansions: options.number('fuzzy_max_expansions', { min: 1, isInteger: true }) ?? 50,
    fuzzyTranspositions: options.boolean('fuzzy_transpositions') ?? true,
    ...present({
      analyzer: options.text('analyzer'),
      quoteAnalyzer: options.text('quote_analyzer'),
      minimumShouldMatch: readMinimumShouldMatch(options),
    }),
    ...readBase(options),
  };
}

function readDefaultField(options: Options): readonly WeightedField[] {
  const field = options.text('default_field');
  if (field === undefined) return [];
  const weighted = parseWeightedField(field, `${options.path}.default_field`);
  checkContentField(weighted.field, `${options.path}.default_field`);
  return [weighted];
}

function readFlags(options: Options): ReadonlySet<SimpleFlag> {
  const text = options.text('flags') ?? 'ALL';
  const flags = new Set<SimpleFlag>();
  for (const word of text.toUpperCase().split('|')) {
    const flag = word.trim();
    if (flag === 'NONE') continue;
    const known = SIMPLE_FLAGS.filter((name) => flag === 'ALL' || flag === name);
    if (known.length === 0) options.fail('flags', `ALL, NONE or some of ${SIMPLE_FLAGS.join(', ')} joined by |`);
    for (const name of known) flags.add(name);
  }
  return flags;
}

function readSyntax(text: string, path: string, options: Parameters<typeof parseLucene>[1]): LuceneNode {
  try {
    return parseLucene(text, options);
  } catch (error) {
    if (!(error instanceof LuceneFault)) throw error;
    throw invalid(path, `Syntax fault in query_string at ${path}: ${error.message}`);
  }
}

const MAX_REGEXP_LENGTH = 1000;

/**
 * Fields named in the query string follow the same rules as others.
 * @param mayLead whether a pattern may begin with a wildcard
 */
function checkSyntax(node: LuceneNode, path: string, mayLead: boolean): void {
  if (node.kind === 'clauses') {
    for (const clause of node.clauses) checkSyntax(clause.node, path, mayLead);
    return;
  }
  if (node.kind === 'none' || node.kind === 'all') return;
  if (node.field !== undefined) checkFieldName(node.field, path);
  if (node.kind === 'wildcard' && !mayLead && /^[*?]/.test(node.pattern))
    throw invalid(path, `A wildcard at the beginning of a term is not allowed at ${path}`);
  if (node.kind === 'regexp' && node.pattern.length > MAX_REGEXP_LENGTH) {
    throw invalid(path, `Regular expression in query_string at ${path} is longer than ${MAX_REGEXP_LENGTH} characters`);
  }
}

/** `query_string` and `simple_query_string`, which have a separate syntax for their text. */
export const QUERY_STRING_KIND: QueryKind<'query_string'> = {
  parse: parseQueryString,
  aliases: { simple_query_string: parseSimpleQueryString },
  bind: (query, binder) => binder.bind(expandFields(query, binder)),
  clauses: null,
  // Counted as the queries that it expands to.
  lookups: () => 0,
};
