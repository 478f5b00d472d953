import { lowerCase, type JsonScalar, type JsonValue } from '@millrace/language';
import { byPosition, emptyText, valueQuery, wordsFor } from './bindText.js';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { invalid } from '../errors.js';
import { expandFields } from './expandFields.js';
import { isAllFields } from '../lucene/LuceneWriter.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { isShownAt } from '../mapping/isShownAt.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import { Options, toNumber } from '../parse/Options.js';
import { readBase } from '../parse/queryBase.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type { MinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import type {
  BoundQuery,
  BoundTerm,
  DisMaxQuery,
  FuzzyTextOptions,
  MatchAllQuery,
  MatchNoneQuery,
  QueryBase,
} from '../tree/Query.js';
import { STEADY, type QueryKinds } from './QueryKind.js';
import {
  OPERATORS,
  readFuzzyOptions,
  readMinimumShouldMatch,
  readQueryText,
  wordCount,
  ZERO_TERMS,
} from './textOptions.js';

/** A field with its weight, from `name^3`. */
export interface WeightedField {
  readonly field: string;
  readonly boost: number;
}
/** How the fields of a `multi_match` are combined. */
export type MultiMatchType =
  'best_fields' | 'most_fields' | 'cross_fields' | 'phrase' | 'phrase_prefix' | 'bool_prefix';
/** One text query over several fields; replaced by `bindQuery`. */
export interface MultiMatchQuery extends QueryBase, FuzzyTextOptions {
  readonly kind: 'multi_match';
  readonly query: JsonScalar;
  /** Names or patterns; empty: all text-like fields. */
  readonly fields: readonly WeightedField[];
  readonly type: MultiMatchType;
  /**
   * Absent: the default of the type (0 for best_fields and phrases, 1 for most_fields and bool_prefix, 0 for
   * cross_fields).
   */
  readonly tieBreaker?: number;
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly analyzer?: string;
  readonly slop: number;
  readonly lenient: boolean;
  readonly zeroTermsQuery: 'none' | 'all';
}
/**
 * One text query over several fields treated as one (`multi_match` of type `cross_fields`, after binding): each
 * term may be in any of the fields; `operator` and `minimumShouldMatch` count terms. Per term: best field score plus
 * `tieBreaker` × the others, with blended document frequencies (the highest of the fields).
 */
export interface CrossFieldsQuery extends QueryBase {
  readonly kind: 'cross_fields';
  readonly query: JsonScalar;
  readonly fields: readonly WeightedField[];
  readonly operator: 'or' | 'and';
  readonly minimumShouldMatch?: MinimumShouldMatch;
  readonly tieBreaker: number;
  readonly analyzer?: string;
  readonly lenient: boolean;
  readonly zeroTermsQuery: 'none' | 'all';
}
/** A `cross_fields` on fields with one analyzer; several groups of fields are bound as `dis_max`. */
export interface BoundCrossFields extends CrossFieldsQuery {
  /** By position: the terms there, each with its form in every field that can have it. At least one. */
  readonly words: readonly (readonly (readonly BoundTerm[])[])[];
}

export const MULTI_MATCH_TYPES = [
  'best_fields',
  'most_fields',
  'cross_fields',
  'phrase',
  'phrase_prefix',
  'bool_prefix',
] as const;

function parseMultiMatch(value: JsonValue | undefined, path: string): MultiMatchQuery {
  const options = Options.from(value, path, 'multi_match');
  const type = options.choice('type', MULTI_MATCH_TYPES) ?? 'best_fields';
  if (options.has('fuzziness') && /^(cross_fields|phrase|phrase_prefix)$/.test(type)) {
    throw invalid(`${path}.fuzziness`, `fuzziness is not allowed for multi_match of type ${type} at ${path}`);
  }
  if (options.has('slop') && type === 'bool_prefix') {
    throw invalid(`${path}.slop`, `slop is not allowed for multi_match of type ${type} at ${path}`);
  }
  const fields = readWeightedFields(options);
  const query: MultiMatchQuery = {
    kind: 'multi_match',
    query: readQueryText(options),
    fields,
    type,
    operator: options.choice('operator', OPERATORS) ?? 'or',
    slop: options.number('slop', { min: 0, isInteger: true }) ?? 0,
    lenient: options.boolean('lenient') ?? isAllFields(fields),
    zeroTermsQuery: options.choice('zero_terms_query', ZERO_TERMS) ?? 'none',
    ...readFuzzyOptions(options),
    ...present({
      tieBreaker: options.number('tie_breaker', { min: 0, max: 1 }),
      minimumShouldMatch: readMinimumShouldMatch(options),
      analyzer: options.text('analyzer'),
    }),
    ...readBase(options),
  };
  options.end();
  return query;
}

/**
 * `fields`: names or patterns, each with an optional `^boost`. For a name that occurs twice the last boost counts.
 * @param onlyGiven true: a name without a boost keeps the boost of an earlier occurrence
 */
export function readWeightedFields(options: Options, onlyGiven = false): readonly WeightedField[] {
  const texts = options.texts('fields') ?? [];
  const boosts = new Map<string, number>();
  for (const [position, text] of texts.entries()) {
    const { field, boost } = parseWeightedField(text, `${options.path}.fields[${position}]`);
    if (!onlyGiven || text.includes('^') || !boosts.has(field)) boosts.set(field, boost);
  }
  return [...boosts].map(([field, boost]) => ({ field, boost }));
}

export function parseWeightedField(text: string, path: string): WeightedField {
  const caret = text.indexOf('^');
  const field = caret < 0 ? text : text.slice(0, caret);
  const boost = caret < 0 ? 1 : toNumber(text.slice(caret + 1));
  if (boost === undefined || boost < 0) {
    throw invalid(path, `Boost of field ${quote(text)} at ${path} must be a number ≥ 0`);
  }
  return { field: checkFieldName(field, path), boost };
}

/** The queries of one text over several fields. */
export const MULTI_MATCH_KINDS: QueryKinds<'multi_match' | 'cross_fields'> = {
  multi_match: {
    parse: parseMultiMatch,
    bind: (query, binder) => binder.bind(expandFields(query, binder)),
    clauses: null,
    // Counted as the queries that it expands to.
    lookups: () => 0,
  },
  cross_fields: {
    ...STEADY,
    clauses: null,
    bind: bindCrossFields,
    lookups: ({ query, fields }) => wordCount(query) * fields.length,
    fields: ({ words }) => words.flat(2).map(({ mapped }) => mapped),
  },
};

const LOWER_CASED = 'lowercase';

interface WeightedMapped {
  readonly mapped: CompiledField;
  readonly boost: number;
}

/** The fields with the same analyzer are a group: in it each word may be in any field. */
function bindCrossFields(
  query: CrossFieldsQuery,
  binder: QueryBinder,
): BoundCrossFields | MatchAllQuery | MatchNoneQuery | DisMaxQuery<BoundQuery> {
  const groups = new Map<string, WeightedMapped[]>();
  for (const { field, boost } of query.fields) {
    const mapped = binder.searchedField(field, query.path);
    if (mapped === undefined || !isShownAt(binder.compiled, mapped, binder.state.nestedPath)) continue;
    const analyzer = query.analyzer ?? analyzerNameOf(mapped);
    groups.set(analyzer, [...(groups.get(analyzer) ?? []), { mapped, boost }]);
  }
  const bound = Array.from(groups, ([analyzer, group]) => bindGroup(query, analyzer, group, binder));
  const [only] = bound;
  if (only === undefined) return matchNone(query);
  if (bound.length === 1) return only;
  const { tieBreaker, path } = query;
  return { kind: 'dis_max', queries: bound, tieBreaker, boost: 1, path };
}

function analyzerNameOf({ type, isLowerCased, searchAnalyzer }: CompiledField): string {
  if (type === 'text') return searchAnalyzer;
  return isLowerCased ? LOWER_CASED : 'keyword';
}

function bindGroup(
  query: CrossFieldsQuery,
  analyzer: string,
  group: readonly WeightedMapped[],
  binder: QueryBinder,
): BoundCrossFields | MatchAllQuery | MatchNoneQuery {
  const [first] = group as [WeightedMapped];
  const terms =
    analyzer === LOWER_CASED
      ? [[lowerCase(String(query.query))]]
      : byPosition(wordsFor(first.mapped, query, analyzer)).map((at) => at.terms);
  if (terms.length === 0) return emptyText(query);
  const fieldsOf = (term: string) =>
    group.flatMap(({ mapped, boost }): BoundTerm[] => {
      const { lenient, path } = query;
      const inField = { field: mapped.name, query: term, boost, path, lenient };
      const bound = valueQuery(mapped, term, inField, binder);
      return bound.kind === 'term' ? [bound] : [];
    });
  const words = terms.map((atPosition) => atPosition.map(fieldsOf));
  const fields = group.map(({ mapped, boost }) => ({ field: mapped.name, boost }));
  return { ...query, fields, words };
}
