import type { JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { present } from '../present.js';
import { show } from '../show.js';
import type { SourceFilter } from '../tree/SearchRequest.js';
import { Options } from './Options.js';

const ALL: SourceFilter = { enabled: true, includes: [], excludes: [] };
const MAX_PATTERNS = 1024;

/**
 * `_source`: boolean, pattern, list of patterns or `{includes, excludes}`; undefined: everything.
 * @param mayCut it may have `maxLength`
 */
export function parseSourceFilter(value: JsonValue | undefined, path: string, mayCut = false): SourceFilter {
  if (value === undefined || value === null || value === true || value === 'true') return ALL;
  if (value === false || value === 'false') return { enabled: false, includes: [], excludes: [] };
  if (typeof value === 'number') {
    throw invalid(path, `_source at ${path} must be a boolean, patterns or {includes, excludes}, not ${show(value)}`);
  }
  if (typeof value === 'string' || Array.isArray(value)) {
    const options = new Options({ includes: value }, path, '_source');
    return check({ enabled: true, includes: options.texts('includes') ?? [], excludes: [] }, path);
  }
  const options = Options.from(value, path, '_source');
  const read = (plural: string, singular: string) => options.texts(plural) ?? options.texts(singular) ?? [];
  const filter = {
    enabled: true,
    includes: read('includes', 'include'),
    excludes: read('excludes', 'exclude'),
    ...present({ maxLength: mayCut ? options.number('maxLength', { min: 1, isInteger: true }) : undefined }),
  };
  options.drop('include', 'exclude');
  options.end();
  return check(filter, path);
}

function check(filter: SourceFilter, path: string): SourceFilter {
  if (filter.includes.length + filter.excludes.length > MAX_PATTERNS) {
    throw invalid(path, `_source at ${path} has more than ${MAX_PATTERNS} patterns`);
  }
  return filter;
}
