import type { JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import { present } from '../../present.js';
import type { InnerHits } from '../../tree/InnerHits.js';
import type { NestedQuery } from '../../tree/Query.js';
import { checkContentField } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { parseHighlight } from '../parseHighlight.js';
import { parseSort } from '../parseSort.js';
import { parseSourceFilter } from '../parseSourceFilter.js';
import { readBase } from '../queryBase.js';
import type { QueryParser } from '../QueryParser.js';

const SCORE_MODES = ['avg', 'sum', 'min', 'max', 'none'] as const;
const MAX_INNER_WINDOW = 100;

export function parseNested(
  value: JsonValue | undefined,
  path: string,
  parser: QueryParser,
): NestedQuery {
  const options = Options.from(value, path, 'nested');
  const base = readBase(options);
  const nestedPath = options.text('path') ?? options.fail('path', 'the path of a nested field');
  const key = options.has('query') ? 'query' : 'filter';
  const inner = options.raw(key) ?? options.fail('query', 'a query');
  const innerHits = options.raw('inner_hits');
  const result: NestedQuery = {
    kind: 'nested',
    nestedPath: checkContentField(nestedPath, path),
    query: parser.parse(inner, `${path}.${key}`),
    scoreMode: options.choice('score_mode', SCORE_MODES) ?? 'avg',
    ignoreUnmapped: options.boolean('ignore_unmapped') ?? false,
    ...(innerHits === undefined
      ? {}
      : { innerHits: readInnerHits(innerHits, `${path}.inner_hits`, nestedPath, parser) }),
    ...base,
  };
  options.end();
  return result;
}

function readInnerHits(
  value: JsonValue,
  path: string,
  nestedPath: string,
  parser: QueryParser,
): InnerHits {
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
      highlight:
        highlight === undefined
          ? undefined
          : parseHighlight(highlight, `${path}.highlight`, parser),
    }),
  };
  options.end();
  return result;
}
