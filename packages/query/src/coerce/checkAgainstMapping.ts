/*
 * Everything that a request can get wrong only in view of the mapping, judged before an engine starts: both engines
 * refuse the same. A field that is not mapped matches nothing and is no fault, except in a sort.
 */
import { compileDateFormat, DEFAULT_DATE_FORMAT } from '../date/compileDateFormat.js';
import { parseDateMath } from '../date/parseDateMath.js';
import { isInTypeRange, isIntegerType, isNumberType } from '../document/numberRange.js';
import { lowerCase } from '../document/lowerCase.js';
import { invalid } from '../errors.js';
import { expandFields } from '../lucene/expandFields.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { toNumber } from '../parse/Options.js';
import { present } from '../present.js';
import { compileRegexp } from '../regexp/compileRegexp.js';
import { quote, show } from '../show.js';
import type {
  Aggregation,
  CompositeSource,
  DateHistogramAggregation,
  DateRangeAggregation,
} from '../tree/Aggregation.js';
import type { JsonScalar } from '../tree/Json.js';
import { checkMissing, checkSearchAfter } from './checkSortValue.js';
import type { CrossFieldsQuery, MatchQuery, Query } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import type { LeafType } from '../mapping/Mapping.js';
import type { FieldSort, NestedSort, Sort } from '../tree/Sort.js';
import { coerceDecay } from './coerceDecay.js';
import { coerceRange } from './coerceRange.js';
import { assertSearchable, coerceTerm } from './coerceTerm.js';

/**
 * Checks a whole request.
 * @param nowMs the request's `now`
 * @throws QueryError
 */
export function checkAgainstMapping(
  request: SearchRequest,
  compiled: CompiledMapping,
  nowMs = 0,
): void {
  const checker = new MappingChecker(compiled, nowMs);
  checker.checkQuery(request.query);
  if (request.postFilter !== undefined) checker.checkQuery(request.postFilter);
  for (const sort of request.sort ?? []) checker.checkSort(sort, true);
  request.searchAfter?.forEach((value, at) => {
    const sort = request.sort?.[at];
    if (sort !== undefined)
      checkSearchAfter(sort, value, compiled, { path: `search_after[${at}]`, nowMs });
  });
  for (const aggregation of request.aggregations) checker.checkAggregation(aggregation);
  for (const { highlightQuery } of request.highlight?.fields ?? []) {
    if (highlightQuery !== undefined) checker.checkQuery(highlightQuery);
  }
}

const NUMERIC_KINDS: ReadonlySet<string> = new Set([
  'min', 'max', 'avg', 'sum', 'stats', 'extended_stats', 'percentiles', 'median_absolute_deviation', 'histogram', 'range',
]); // prettier-ignore

/** Types whose terms are texts in the index, which can be compared without case. */
const CASED: ReadonlySet<string> = new Set(['text', 'keyword', 'boolean']);

/** Checks one query (`count`, `deleteByQuery`). @throws QueryError */
export function checkQueryAgainstMapping(query: Query, compiled: CompiledMapping, nowMs = 0): void {
  new MappingChecker(compiled, nowMs).checkQuery(query);
}

class MappingChecker {
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly nowMs: number,
  ) {}

  checkQuery(query: Query): void {
    switch (query.kind) {
      case 'bool':
        for (const list of [query.must, query.filter, query.should, query.mustNot]) {
          for (const clause of list) this.checkQuery(clause);
        }
        return;
      case 'constant_score':
        return this.checkQuery(query.filter);
      case 'dis_max':
        return query.queries.forEach((inner) => this.checkQuery(inner));
      case 'boosting':
        this.checkQuery(query.positive);
        return this.checkQuery(query.negative);
      case 'function_score':
        return this.checkFunctionScore(query);
      case 'nested':
        if (query.ignoreUnmapped && !this.isNested(query.nestedPath)) return;
        this.checkNestedPath(query.nestedPath, query.path);
        for (const sort of query.innerHits?.sort ?? []) this.checkSort(sort);
        return this.checkQuery(query.query);
      case 'multi_match':
      case 'query_string':
      case 'simple_query_string':
        return this.checkQuery(expandFields(query, this.compiled));
      default:
        return this.checkLeaf(query);
    }
  }

  private isNested(path: string): boolean {
    return this.compiled.objects.get(path)?.isNested === true;
  }

  private checkFunctionScore(query: Extract<Query, { kind: 'function_score' }>): void {
    this.checkQuery(query.query);
    for (const entry of query.functions) {
      if (entry.filter !== undefined) this.checkQuery(entry.filter);
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
      this.assertValues(field, score.path);
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
    query: Exclude<
      Query,
      { kind: 'bool' | 'multi_match' | 'query_string' | 'simple_query_string' }
    >,
  ): void {
    if (query.kind === 'cross_fields') {
      for (const { field } of query.fields) this.checkLeaf(asMatch(query, field));
      return;
    }
    if (!('field' in query) || query.field === '_id') return;
    const field = this.compiled.fields.get(query.field);
    if (query.kind === 'regexp') checkSyntax(field, query);
    if (field === undefined) return; // matches nothing (section 3)
    const { path } = query;
    switch (query.kind) {
      case 'term':
        coerceTerm(field, query.value, path, this.nowMs);
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
        return; // exists asks nothing of a field
    }
  }

  private checkNestedPath(nestedPath: string, path: string): void {
    if (this.compiled.objects.get(nestedPath)?.isNested === true) return;
    throw invalid(path, `Path ${quote(nestedPath)} at ${path} is not a nested field`);
  }

  /** @param isTop false where nested objects are sorted */
  checkSort(sort: Sort, isTop = false): void {
    if (sort.kind !== 'field' && sort.kind !== 'geoDistance') return;
    const field = this.compiled.fields.get(sort.field);
    if (sort.nested !== undefined) {
      this.checkNestedSort(sort.nested, sort.path);
      if (sort.mode === 'median')
        throw invalid(sort.path, `mode median at ${sort.path} knows no nested objects`);
    }
    if (field === undefined) {
      const mayLack = sort.kind === 'field' ? sort.unmappedType !== undefined : sort.ignoreUnmapped;
      if (mayLack) return sort.kind === 'field' ? checkUnmapped(sort) : undefined;
      throw invalid(
        sort.path,
        `Cannot sort by ${quote(sort.field)} at ${sort.path}: it is not in the mapping (give unmapped_type)`,
      );
    }
    if (isTop && field.nestedPath !== undefined && sort.nested === undefined)
      this.checkIncluded(field, sort.path);
    this.assertValues(field, sort.path);
    if (sort.kind === 'geoDistance') {
      if (field.type !== 'geo_point')
        throw invalid(sort.path, `Field ${quote(field.name)} at ${sort.path} is no geo_point`);
      return;
    }
    if (field.type === 'geo_point' || field.type === 'geo_shape' || field.type === 'binary') {
      throw invalid(
        sort.path,
        `Cannot sort by ${quote(field.name)} of type ${field.type} at ${sort.path}`,
      );
    }
    const isText = field.type === 'keyword' || field.type === 'text' || field.type === 'ip';
    if (isText && /^(sum|avg|median)$/.test(sort.mode)) {
      throw invalid(
        sort.path,
        `mode ${sort.mode} at ${sort.path} needs numbers, not ${field.type}`,
      );
    }
    if (sort.format !== undefined && field.type !== 'date') {
      throw invalid(
        sort.path,
        `format at ${sort.path} needs a date field; ${quote(field.name)} is ${field.type}`,
      );
    }
    if (sort.numericType !== undefined && isText) {
      throw invalid(
        sort.path,
        `numeric_type at ${sort.path} needs a field of numbers; ${quote(field.name)} is ${field.type}`,
      );
    }
    if (typeof sort.missing === 'object') checkMissing(field, sort.missing.value, sort);
  }

  /** The values of nested objects are not those of their document, unless they are indexed there too. */
  private checkIncluded({ name, nestedPath = '' }: CompiledField, path: string): void {
    const object = this.compiled.objects.get(nestedPath);
    if (object?.includeInRoot === true) return;
    throw invalid(
      path,
      `Sort by ${quote(name)} at ${path} needs "nested": {"path": ${quote(nestedPath)}}`,
    );
  }

  private checkNestedSort(nested: NestedSort, path: string): void {
    this.checkNestedPath(nested.path, path);
    if (nested.filter !== undefined) this.checkQuery(nested.filter);
    if (nested.nested !== undefined) this.checkNestedSort(nested.nested, path);
  }

  private assertValues(field: CompiledField, path: string): void {
    if (field.hasDocValues) return;
    const why =
      field.type === 'text'
        ? 'text has no values to sort or count: use a keyword field'
        : 'it has doc_values: false';
    throw invalid(
      path,
      `Field ${quote(field.name)} at ${path} cannot be sorted or aggregated: ${why}`,
    );
  }

  checkAggregation(aggregation: Aggregation, nestedDepth = 0): void {
    let depth = nestedDepth;
    switch (aggregation.kind) {
      case 'filter':
        this.checkQuery(aggregation.filter);
        break;
      case 'filters':
        for (const { filter } of aggregation.filters) this.checkQuery(filter);
        break;
      case 'nested':
        // A path that is not mapped counts nothing; one that is no nested object is a mistake.
        if (
          this.compiled.objects.has(aggregation.nestedPath) ||
          this.compiled.fields.has(aggregation.nestedPath)
        ) {
          this.checkNestedPath(aggregation.nestedPath, aggregation.path);
        }
        depth += 1;
        break;
      case 'reverse_nested':
        if (depth === 0)
          throw invalid(
            aggregation.path,
            `reverse_nested at ${aggregation.path} must be inside a nested aggregation`,
          );
        if (aggregation.nestedPath !== undefined)
          this.checkNestedPath(aggregation.nestedPath, aggregation.path);
        break;
      case 'composite':
        this.checkComposite(aggregation.sources, aggregation.after);
        break;
      case 'top_hits':
        for (const sort of aggregation.sort ?? []) this.checkSort(sort, depth === 0);
        break;
      case 'global':
        break;
      default:
        this.checkFieldAggregation(aggregation);
    }
    for (const child of aggregation.aggregations) this.checkAggregation(child, depth);
  }

  private checkComposite(
    sources: readonly CompositeSource[],
    after: readonly (JsonScalar | null)[] | undefined,
  ): void {
    sources.forEach((source, position) => {
      const field = this.compiled.fields.get(source.field);
      const given = after?.[position] ?? undefined;
      if (source.kind === 'date_histogram' && given !== undefined) {
        this.checkDateKey(source.format, given, source.path);
      }
      if (field === undefined) return;
      this.assertValues(field, source.path);
      const isFit =
        source.kind === 'terms'
          ? !isGeo(field)
          : source.kind === 'histogram'
            ? isNumberType(field.type)
            : field.type === 'date';
      if (!isFit) throw unfitField(field, source.path, source.kind);
      const key = after?.[position] ?? undefined;
      if (field.type === 'date' && key !== undefined && source.kind === 'terms') {
        this.checkDateKey(source.format, key, source.path);
      }
      const isText = source.kind === 'terms' && /^(keyword|text|ip)$/.test(field.type);
      const isNull = after !== undefined && key === undefined;
      if (
        (isText && key !== undefined && typeof key !== 'string') ||
        (isNull && !source.missingBucket)
      ) {
        throw invalid(
          source.path,
          `Value of "after" for ${source.path} must be ${isText ? 'a text' : 'a value of the field'}, not ${show(key ?? null)}`,
        );
      }
      const isPlainKey = source.kind === 'terms' && field.type !== 'date' && key !== undefined;
      if (isPlainKey)
        coerceTerm({ ...field, isIndexed: true }, key, `${source.path}.after`, this.nowMs);
    });
  }

  /** A date of `after` has to be written as the source writes it. */
  private checkDateKey(format: string | undefined, key: JsonScalar, path: string): void {
    if (format === undefined) return;
    const dates = compileDateFormat(format, (message) => invalid(path, message));
    if (dates.parse(String(key)) !== undefined) return;
    throw invalid(
      path,
      `Invalid date ${show(key)} in "after" of ${path}: expected format ${format}`,
    );
  }

  private checkFieldAggregation(
    aggregation: Extract<Aggregation, { readonly field: string }>,
  ): void {
    const { kind, path } = aggregation;
    const field = this.compiled.fields.get(aggregation.field);
    if (field === undefined) {
      this.checkMissingNumber(aggregation);
      if (aggregation.kind === 'date_range') this.checkDateRanges(undefined, aggregation);
      if (aggregation.kind === 'date_histogram') this.checkDateBounds(undefined, aggregation);
      return;
    }
    this.assertValues(field, path);
    if (!isAggregatable(kind, field)) throw unfitField(field, path, kind);
    const format = 'format' in aggregation ? aggregation.format : undefined;
    if (format !== undefined && !isNumberType(field.type) && field.type !== 'date') {
      throw invalid(
        path,
        `format at ${path} needs numbers or dates; ${quote(field.name)} is ${field.type}`,
      );
    }
    if (aggregation.missing !== undefined && kind !== 'missing' && !isGeo(field)) {
      const isDated = field.type === 'date' && format !== undefined;
      const dated = isDated
        ? { dateFormat: compileDateFormat(format, (text) => invalid(path, text)) }
        : {};
      coerceTerm(
        { ...field, ...dated, isIndexed: true },
        aggregation.missing,
        `${path}.missing`,
        this.nowMs,
      );
    }
    if (aggregation.kind === 'date_range') this.checkDateRanges(field, aggregation);
    if (aggregation.kind === 'date_histogram') this.checkDateBounds(field, aggregation);
    if (aggregation.kind === 'terms') checkTermsFilter(field, aggregation);
  }

  /** What counts numbers takes a number for `missing` where no field says what the value may be. */
  private checkMissingNumber({
    kind,
    missing,
    path,
  }: Extract<Aggregation, { field: string }>): void {
    if (!NUMERIC_KINDS.has(kind) || missing === undefined || typeof missing === 'number') return;
    if (typeof missing === 'string' && toNumber(missing) !== undefined) return;
    throw invalid(`${path}.missing`, `"missing" at ${path} must be a number, not ${show(missing)}`);
  }

  private checkDateRanges(
    field: CompiledField | undefined,
    aggregation: DateRangeAggregation,
  ): void {
    for (const { from, to } of aggregation.ranges) {
      for (const bound of [from, to]) this.checkDate(field, aggregation, bound);
    }
  }

  private checkDateBounds(
    field: CompiledField | undefined,
    aggregation: DateHistogramAggregation,
  ): void {
    for (const bounds of [aggregation.extendedBounds, aggregation.hardBounds]) {
      const [min, max] = [bounds?.min, bounds?.max].map((bound) =>
        this.checkDate(field, aggregation, bound),
      );
      if (min !== undefined && max !== undefined && min > max) {
        throw invalid(aggregation.path, `Bounds at ${aggregation.path} have min above max`);
      }
    }
  }

  private checkDate(
    field: CompiledField | undefined,
    { kind, format, timeZone, path }: DateRangeAggregation | DateHistogramAggregation,
    bound: JsonScalar | undefined,
  ): number | undefined {
    // A number of a range is read in the format as well.
    if (bound === undefined || (typeof bound === 'number' && kind !== 'date_range')) return bound;
    const dateFormat =
      format === undefined && field !== undefined
        ? field.dateFormat
        : compileDateFormat(format ?? DEFAULT_DATE_FORMAT, (message) => invalid(path, message));
    const ms = parseDateMath(String(bound), { format: dateFormat, nowMs: this.nowMs, timeZone });
    if (ms === undefined)
      throw invalid(
        path,
        `Invalid date ${show(bound)} at ${path}: expected format ${dateFormat.text} or date math`,
      );
    return ms;
  }
}

/** What `cross_fields` asks of each of its fields. */
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

/** `terms` on whole numbers refuses what `term` finds nothing for, as Elasticsearch. */
function checkHeld(field: CompiledField, value: JsonScalar, path: string): void {
  if (!isNumberType(field.type)) return;
  const number = Number(value);
  const isWhole = isIntegerType(field.type);
  // Bytes and shorts are kept as 32 bits on a server.
  const type = field.type === 'byte' || field.type === 'short' ? 'integer' : field.type;
  if (isInTypeRange(type, number) || (isWhole && !Number.isInteger(number))) return;
  throw invalid(path, `Value ${show(value)} at ${path} is out of range for ${field.type}`);
}

/** What a sort asks of a field that is not mapped has to fit its `unmapped_type`. */
function checkUnmapped(sort: FieldSort): void {
  const isText = /^(keyword|text|ip)$/.test(sort.unmappedType ?? '');
  if (isText && /^(sum|avg|median)$/.test(sort.mode)) {
    throw invalid(
      sort.path,
      `mode ${sort.mode} at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`,
    );
  }
  if (sort.format !== undefined && sort.unmappedType !== 'date') {
    throw invalid(sort.path, `format at ${sort.path} needs a date, not ${sort.unmappedType ?? ''}`);
  }
  if (sort.numericType !== undefined && isText) {
    throw invalid(
      sort.path,
      `numeric_type at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`,
    );
  }
  if (typeof sort.missing === 'object' && sort.unmappedType !== undefined) {
    checkMissing({ type: sort.unmappedType as LeafType }, sort.missing.value, sort);
  }
}

type TextQuery = Extract<
  Query,
  { kind: 'match' | 'match_bool_prefix' | 'match_phrase' | 'match_phrase_prefix' }
>;

function checkText(field: CompiledField, query: TextQuery, nowMs: number): void {
  assertSearchable(field, query.path);
  if (field.type === 'text') {
    // Whether a phrase needs positions shows when it is analysed: one of one word needs none.
    return;
  }
  const isFuzzy = 'fuzziness' in query && query.fuzziness !== undefined;
  if (isFuzzy && field.type !== 'keyword' && !query.lenient) {
    throw invalid(
      query.path,
      `fuzziness at ${query.path} needs a text or keyword field; ${quote(field.name)} is ${field.type}`,
    );
  }
  if (query.kind === 'match_phrase_prefix' && !query.lenient && query.analyzer === undefined) {
    throw invalid(
      query.path,
      `match_phrase_prefix at ${query.path} needs a text field; ${quote(field.name)} is ${field.type}`,
    );
  }
  if (field.type !== 'keyword' && !query.lenient)
    coerceTerm(field, String(query.query), query.path, nowMs);
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

function isGeo(field: CompiledField): boolean {
  return field.type === 'geo_point' || field.type === 'geo_shape';
}

/** Which aggregation takes which type (Elasticsearch's table). */
function isAggregatable(kind: Aggregation['kind'], field: CompiledField): boolean {
  const { type } = field;
  switch (kind) {
    case 'missing':
    case 'value_count':
      return true;
    case 'cardinality':
      return type !== 'geo_shape' && type !== 'binary';
    case 'terms':
      return !isGeo(field) && type !== 'binary';
    case 'geohash_grid':
      return isGeo(field);
    case 'date_histogram':
    case 'date_range':
      return type === 'date' || (kind === 'date_histogram' && type === 'boolean');
    case 'histogram':
    case 'range':
      return isNumberType(type) || type === 'date' || (kind === 'histogram' && type === 'boolean');
    case 'median_absolute_deviation':
      return isNumberType(type);
    default:
      return isNumberType(type) || type === 'date' || type === 'boolean';
  }
}

function unfitField(field: CompiledField, path: string, kind: string): Error {
  return invalid(
    path,
    `Aggregation ${kind} at ${path} cannot work on ${quote(field.name)} of type ${field.type}`,
  );
}

function checkTermsFilter(
  field: CompiledField,
  aggregation: Extract<Aggregation, { kind: 'terms' }>,
): void {
  const isText = field.type === 'keyword' || field.type === 'text';
  for (const filter of [aggregation.include, aggregation.exclude]) {
    if (filter?.kind === 'values' && !isText) {
      for (const value of filter.values) {
        coerceTerm({ ...field, isIndexed: true }, String(value), aggregation.path);
      }
    }
    if (filter?.kind === 'pattern' && !isText) {
      throw invalid(
        aggregation.path,
        `A pattern of terms at ${aggregation.path} needs texts; ${quote(field.name)} is ${field.type}: give a list`,
      );
    }
  }
}
