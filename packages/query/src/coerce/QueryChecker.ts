import { type JsonScalar, lowerCase, wordsOf } from '@millrace/language';
import { analyzerOf } from '../analysis/analyzerOf.js';
import { isInTypeRange, isIntegerType, isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import { expandFields } from '../lucene/expandFields.js';
import { analyzerList } from '../mapping/checkAnalyzers.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { present } from '../present.js';
import { compileRegexp } from './compileRegexp.js';
import { quote, show } from '../show.js';
import type { CrossFieldsQuery, MatchQuery, Query } from '../tree/Query.js';
import type { Sort } from '../tree/Sort.js';
import { assertNestedPath } from './assertNestedPath.js';
import { assertPhrase } from './assertPhrase.js';
import { assertValues } from './assertValues.js';
import { coerceDecay } from './coerceDecay.js';
import { coerceRange } from './coerceRange.js';
import { assertSearchable, coerceTerm } from './coerceTerm.js';
import { isPlainValue } from './isPlainValue.js';

/** Types indexed as string terms, which can be compared ignoring case. */
const CASED: ReadonlySet<string> = new Set(['text', 'keyword', 'boolean']);

/** Checks queries against a mapping. */
export class QueryChecker {
  /** @param checkSort checks the sort of inner hits */
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly nowMs: number,
    private readonly checkSort: (sort: Sort) => void,
  ) {}

  /** @param nestedPath the nested field whose objects are searched; undefined: documents @throws QueryError */
  check(query: Query, nestedPath?: string): void {
    if ('analyzer' in query) this.checkAnalyzer(query.analyzer, 'analyzer', query.path);
    if ('quoteAnalyzer' in query)
      this.checkAnalyzer(query.quoteAnalyzer, 'quote_analyzer', query.path);
    switch (query.kind) {
      case 'bool':
        for (const list of [query.must, query.filter, query.should, query.mustNot]) {
          for (const clause of list) this.check(clause, nestedPath);
        }
        return;
      case 'constant_score':
        return this.check(query.filter, nestedPath);
      case 'dis_max':
        return query.queries.forEach((inner) => this.check(inner, nestedPath));
      case 'boosting':
        this.check(query.positive, nestedPath);
        return this.check(query.negative, nestedPath);
      case 'function_score':
        return this.checkFunctionScore(query, nestedPath);
      case 'nested':
        if (query.ignoreUnmapped && this.compiled.objects.get(query.nestedPath)?.isNested !== true)
          return;
        assertNestedPath(this.compiled, query.nestedPath, query.path);
        for (const sort of query.innerHits?.sort ?? []) this.checkSort(sort);
        return this.check(query.query, query.nestedPath);
      case 'multi_match':
      case 'query_string':
        return this.check(expandFields(query, this.compiled, nestedPath), nestedPath);
      default:
        return this.checkLeaf(query);
    }
  }

  private checkAnalyzer(name: string | undefined, key: string, path: string): void {
    const { analyzers } = this.compiled;
    if (name === undefined || (name !== 'default' && analyzers.has(name))) return;
    throw invalid(
      path,
      `${quote(key)} at ${path} must be one of ${analyzerList(analyzers)}, not ${quote(name)}`,
    );
  }

  private checkFunctionScore(
    query: Extract<Query, { kind: 'function_score' }>,
    nestedPath: string | undefined,
  ): void {
    this.check(query.query, nestedPath);
    for (const entry of query.functions) {
      if (entry.filter !== undefined) this.check(entry.filter, nestedPath);
      const score = entry.function;
      if (score.kind !== 'decay' && score.kind !== 'field_value_factor') continue;
      const field = this.compiled.fields.get(score.field);
      if (field === undefined) {
        const isFatal = score.kind === 'decay' || score.missing === undefined;
        if (isFatal)
          throw invalid(
            score.path,
            `Field ${quote(score.field)} at ${score.path} is not in the mapping`,
          );
        continue;
      }
      assertValues(field, score.path);
      if (score.kind === 'decay') coerceDecay(field, score, this.nowMs);
      else if (!isNumberType(field.type) && field.type !== 'boolean' && field.type !== 'date') {
        throw invalid(
          score.path,
          `Field ${quote(field.name)} at ${score.path} must be a number, not ${field.type}`,
        );
      }
    }
  }

  private checkLeaf(
    query: Exclude<Query, { kind: 'bool' | 'multi_match' | 'query_string' }>,
  ): void {
    if (query.kind === 'cross_fields') {
      for (const { field } of query.fields) this.checkLeaf(asMatch(query, field));
      return;
    }
    if (!('field' in query) || query.field === '_id') return;
    const field = this.compiled.fields.get(query.field);
    if (query.kind === 'regexp') checkSyntax(field, query);
    if (field === undefined) return; // matches nothing (SEARCH-20)
    const { path } = query;
    switch (query.kind) {
      case 'term':
        coerceTerm(field, query.value, path, this.nowMs);
        checkHeld(field, query.value, path);
        if (query.caseInsensitive && !CASED.has(field.type)) {
          throw invalid(
            path,
            `case_insensitive at ${path} needs a text, keyword or boolean field; ${quote(field.name)} is ${field.type}`,
          );
        }
        return;
      case 'terms':
        for (const value of query.values) {
          coerceTerm(field, value, path, this.nowMs);
          checkHeld(field, value, path);
        }
        return;
      case 'range':
        coerceRange(field, query, this.nowMs);
        return;
      case 'match':
      case 'match_bool_prefix':
      case 'match_phrase':
      case 'match_phrase_prefix':
        return checkText(field, query, this.nowMs);
      case 'prefix':
      case 'wildcard':
      case 'regexp':
      case 'fuzzy':
        return checkPattern(field, query);
      case 'geo_distance':
      case 'geo_bounding_box':
      case 'geo_polygon':
        return checkGeo(field, query, ['geo_point']);
      case 'geo_shape':
        return checkGeo(field, query, ['geo_point', 'geo_shape']);
      default:
        return; // exists has no requirements on a field
    }
  }
}

/** The requirements of `cross_fields` on each of its fields. */
function asMatch(query: CrossFieldsQuery, field: string): MatchQuery {
  const { query: text, operator, lenient, zeroTermsQuery, boost, path, analyzer } = query;
  const fuzzy = { prefixLength: 0, maxExpansions: 50, fuzzyTranspositions: true };
  return {
    kind: 'match',
    field,
    query: text,
    operator,
    lenient,
    zeroTermsQuery,
    boost,
    path,
    ...fuzzy,
    ...present({ analyzer }),
  };
}

/** @throws QueryError for a number beyond the range of the field's type */
function checkHeld(field: CompiledField, value: JsonScalar, path: string): void {
  if (!isNumberType(field.type)) return;
  const number = Number(value);
  // A byte or a short is compared as an integer.
  const type = field.type === 'byte' || field.type === 'short' ? 'integer' : field.type;
  if (isInTypeRange(type, number) || (isIntegerType(type) && !Number.isInteger(number))) return;
  throw invalid(path, `Value ${show(value)} at ${path} is out of range for ${field.type}`);
}

type TextQuery = Extract<
  Query,
  { kind: 'match' | 'match_bool_prefix' | 'match_phrase' | 'match_phrase_prefix' }
>;

function checkText(field: CompiledField, query: TextQuery, nowMs: number): void {
  assertSearchable(field, query.path);
  if (query.kind === 'match_phrase' || query.kind === 'match_phrase_prefix')
    assertPhrase(field, query);
  if (field.type === 'text') return;
  const isFuzzy = 'fuzziness' in query && query.fuzziness !== undefined;
  if (isFuzzy && field.type !== 'keyword' && !query.lenient) {
    throw invalid(
      query.path,
      `fuzziness at ${query.path} needs a text or keyword field; ${quote(field.name)} is ${field.type}`,
    );
  }
  if (field.type === 'keyword' || query.lenient) return;
  const isPlain = isPlainValue(field, query);
  const value = isPlain ? query.query : String(query.query);
  coerceTerm(field, value, query.path, nowMs);
  checkHeld(field, value, query.path);
  if (query.analyzer === undefined || isPlain) return;
  const { terms } = wordsOf(analyzerOf(field, query.analyzer), String(query.query));
  for (const word of terms) coerceTerm(field, word, query.path, nowMs);
}

function checkSyntax(
  field: CompiledField | undefined,
  query: Extract<Query, { kind: 'regexp' }>,
): void {
  compileRegexp(field?.isLowerCased === true ? lowerCase(query.value) : query.value, query);
}

function checkPattern(
  field: CompiledField,
  query: Extract<Query, { kind: 'prefix' | 'wildcard' | 'regexp' | 'fuzzy' }>,
): void {
  assertSearchable(field, query.path);
  if (field.type === 'text' || field.type === 'keyword') return;
  throw invalid(
    query.path,
    `${query.kind} at ${query.path} needs a text or keyword field; ${quote(field.name)} is ${field.type}`,
  );
}

function checkGeo(
  field: CompiledField,
  query: Query & { readonly path: string },
  types: readonly string[],
): void {
  assertSearchable(field, query.path);
  if (types.includes(field.type)) return;
  throw invalid(
    query.path,
    `${query.kind} at ${query.path} needs a ${types.join(' or ')} field; ${quote(field.name)} is ${field.type}`,
  );
}
