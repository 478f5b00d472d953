import type { JsonValue } from '@millrace/language';
import { assertNestedPath } from './assertValues.js';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { invalid } from '../errors.js';
import { present } from '../present.js';
import type { InnerHits } from '../tree/SearchRequest.js';
import { checkContentField } from '../parse/checkFieldName.js';
import { Options } from '../parse/Options.js';
import { parseHighlight } from '../parse/parseHighlight.js';
import { parseSort } from '../parse/parseSort.js';
import { parseSourceFilter } from '../parse/parseSourceFilter.js';
import { bodyParser } from '../parse/queryBase.js';
import type { QueryParser } from '../parse/QueryParser.js';
import type { BoundQuery, Query, QueryBase } from '../tree/Query.js';
import { NO_CLAUSES } from './compoundKinds.js';
import { NO_FIELD, type QueryKind } from './QueryKind.js';

/** Documents with a nested object that matches. */
export interface NestedQuery<Q = Query> extends QueryBase {
  readonly kind: 'nested';
  /** Full path of the nested object (`path` is the place in the request). */
  readonly nestedPath: string;
  readonly query: Q;
  readonly scoreMode: 'avg' | 'sum' | 'min' | 'max' | 'none';
  readonly ignoreUnmapped: boolean;
  readonly innerHits?: InnerHits<Q>;
}

const SCORE_MODES = ['avg', 'sum', 'min', 'max', 'none'] as const;
const MAX_INNER_WINDOW = 100;

function readInnerHits(value: JsonValue, path: string, nestedPath: string, parser: QueryParser): InnerHits {
  const options = Options.from(value, path, 'inner_hits');
  const from = options.number('from', { min: 0, isInteger: true }) ?? 0;
  const size = options.number('size', { min: 0, isInteger: true }) ?? 3;
  if (from + size > MAX_INNER_WINDOW) {
    throw invalid(path, `from + size of inner_hits at ${path} must be ≤ ${MAX_INNER_WINDOW}`);
  }
  const given = options.raw('sort');
  const sort = given === undefined ? [] : parseSort(given, `${path}.sort`, parser);
  const highlight = options.raw('highlight');
  const result: InnerHits = {
    name: options.text('name') ?? nestedPath,
    from,
    size,
    source: parseSourceFilter(options.raw('_source'), `${path}._source`),
    ...present({
      sort: sort.length === 0 ? undefined : sort,
      highlight: highlight === undefined ? undefined : parseHighlight(highlight, `${path}.highlight`, parser),
    }),
  };
  options.end();
  return result;
}

/** `nested`. */
export const NESTED_KIND: QueryKind<'nested'> = {
  ...NO_FIELD,
  parse: bodyParser('nested', (options, base, parser) => {
    const { path } = options;
    const nestedPath = options.text('path') ?? options.fail('path', 'the path of a nested field');
    const key = options.has('query') ? 'query' : 'filter';
    const inner = options.raw(key) ?? options.fail('query', 'a query');
    const innerHits = options.raw('inner_hits');
    return {
      kind: 'nested',
      nestedPath: checkContentField(nestedPath, path),
      query: parser.parse(inner, `${path}.${key}`),
      scoreMode: options.choice('score_mode', SCORE_MODES) ?? 'avg',
      ignoreUnmapped: options.boolean('ignore_unmapped') ?? false,
      ...(innerHits !== undefined && {
        innerHits: readInnerHits(innerHits, `${path}.inner_hits`, nestedPath, parser),
      }),
      ...base,
    };
  }),
  bind: bindNested,
  clauses: ({ query }) => ({ positive: [query] }),
  // The number of objects counts too.
  fields: () => null,
};

/** Number of highlighted fields to which the search of one inner hit is equal. */
const INNER_HIT_PASSAGES = 0.005;

/**
 * Within a nested object, a `nested` query of the same path means the same object, and one of another path matches
 * nothing. Elasticsearch would use the next object instead, or fail.
 */
function bindNested(query: NestedQuery, binder: QueryBinder): BoundQuery {
  const { nestedPath, innerHits, path, boost } = query;
  const { nestedPath: around, startPath, hitFactor, cost } = binder.state;
  if (query.ignoreUnmapped && binder.compiled.objects.get(nestedPath)?.isNested !== true) return matchNone(query);
  assertNestedPath(binder.compiled, nestedPath, path);
  const shown = innerHits === undefined ? 1 : innerHits.from + innerHits.size;
  if (innerHits !== undefined) {
    const fields = innerHits.highlight?.fields.length ?? 0;
    cost.innerPassages += hitFactor * shown * (fields + INNER_HIT_PASSAGES);
  }
  const inside = binder.with({ nestedPath, hitFactor: hitFactor * shown });
  const inner = inside.bind(query.query);
  if (around === undefined || nestedPath.startsWith(`${around}.`)) {
    const bound = { ...query, query: inner };
    if (innerHits === undefined) return bound as NestedQuery<BoundQuery>;
    return { ...bound, innerHits: binder.bindInnerHits(innerHits, nestedPath) };
  }
  if (nestedPath !== around) return matchNone(query);
  if (innerHits !== undefined && startPath === undefined) {
    const expected = `the outer nested query of the path "${around}" to have them`;
    throw invalid(path, `inner_hits at ${path} are those of the objects around: expected ${expected}`);
  }
  const hasScore = query.scoreMode !== 'none';
  if (hasScore && boost === 1) return inner;
  return { kind: 'bool', ...NO_CLAUSES, ...(hasScore ? { must: [inner] } : { filter: [inner] }), boost, path };
}
