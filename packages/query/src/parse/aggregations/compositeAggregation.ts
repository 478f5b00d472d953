import { isJsonObject, isJsonScalar, type JsonScalar, type JsonValue, own } from '@millrace/language';
import { MAX_BUCKETS } from '../../MAX_BUCKETS.js';
import { invalid } from '../../errors.js';
import { present } from '../../present.js';
import { quote } from '../../show.js';
import type {
  AggregationBase,
  CompositeAggregation,
  CompositeSource,
  CompositeSourceBase,
} from '../../tree/Aggregation.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { readTimeZone } from '../../kinds/termKinds.js';
import { readDateFormat } from '../readDateFormat.js';
import { onlyEntry } from './bucketAggregations.js';
import { readInterval, readOffset } from './histogramAggregations.js';

const MAX_SOURCES = 32;

export function parseComposite(options: Options, base: AggregationBase): CompositeAggregation {
  const list = options.raw('sources');
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_SOURCES) {
    return options.fail('sources', `a list of 1 to ${MAX_SOURCES} sources`);
  }
  const sources = (list as readonly JsonValue[]).map((item, position) =>
    readSource(item, `${options.path}.sources[${position}]`),
  );
  const names = new Set(sources.map((source) => source.name));
  if (names.size < sources.length) options.fail('sources', 'sources with different names');
  return {
    kind: 'composite',
    ...base,
    sources,
    size: options.number('size', { min: 1, max: MAX_BUCKETS, isInteger: true }) ?? 10,
    ...present({ after: readAfter(options, sources) }),
  };
}

function readSource(value: JsonValue, path: string): CompositeSource {
  const [name, definition] = onlyEntry(value, path, 'Source');
  const [kind, given] = onlyEntry(definition, `${path}.${name}`, 'Source');
  const options = Options.from(given, `${path}.${name}.${kind}`, `Source ${kind}`);
  switch (kind) {
    case 'terms': {
      const source: CompositeSource = { kind, ...readSourceBase(options, name) };
      options.end();
      return source;
    }
    case 'histogram': {
      const interval = options.number('interval', { above: 0 }) ?? options.fail('interval', 'a number > 0');
      const source: CompositeSource = { kind, ...readSourceBase(options, name), interval };
      options.end();
      return source;
    }
    case 'date_histogram': {
      const source: CompositeSource = {
        kind,
        interval: readInterval(options),
        offsetMs: readOffset(options),
        ...readSourceBase(options, name),
        ...present({ timeZone: readTimeZone(options), format: readDateFormat(options) }),
      };
      options.end();
      return source;
    }
    default:
      throw invalid(path, `Unknown source ${quote(kind)} at ${path}: expected terms, histogram or date_histogram`);
  }
}

function readSourceBase(options: Options, name: string): CompositeSourceBase {
  if (!options.has('field') && options.has('script')) options.end();
  const field = options.text('field') ?? options.fail('field', 'a field name');
  const missingBucket = options.boolean('missing_bucket') ?? false;
  const missingOrder = options.choice('missing_order', ['default', 'first', 'last']) ?? 'default';
  if (!missingBucket && missingOrder !== 'default') {
    options.fail('missing_order', 'absent without "missing_bucket": true');
  }
  return {
    name,
    field: checkFieldName(field, options.path),
    order: options.choice('order', ['asc', 'desc']) ?? 'asc',
    missingBucket,
    missingOrder,
    path: options.path,
  };
}

function readAfter(options: Options, sources: readonly CompositeSource[]): readonly (JsonScalar | null)[] | undefined {
  const after = options.raw('after');
  if (after === undefined) return undefined;
  const expected = `an object with the keys ${sources.map(({ name }) => name).join(', ')}`;
  if (!isJsonObject(after) || Object.keys(after).length !== sources.length) {
    return options.fail('after', expected);
  }
  return sources.map(({ name }) => {
    const value = own(after, name);
    return value === null || isJsonScalar(value) ? value : options.fail('after', expected);
  });
}
