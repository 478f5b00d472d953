import type { JsonObject } from '@millrace/language';
import { describe, expect, it } from 'vitest';
import { bindSearch } from '../request/bindSearch.js';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseSearch } from '../request/parseSearch.js';

const compiled = compileMapping(
  parseMapping({
    properties: {
      at: { type: 'geo_point' },
      on: { type: 'date', format: 'yyyy-MM-dd' },
      tag: { type: 'keyword', normalizer: 'lowercase' },
      from: { type: 'ip' },
      size: { type: 'integer' },
      open: { type: 'boolean' },
    },
  }),
);

const read = (kind: string, body: JsonObject) => {
  const [bound] = bindSearch(parseSearch({ aggs: { a: { [kind]: body } } }), compiled).aggregations;
  return bound !== undefined && 'missingValue' in bound ? bound.missingValue : undefined;
};

describe('missing of an aggregation (SEARCH-50)', () => {
  it.each([
    ['geohash_grid', 'at', '20,10', { lat: 20, lon: 10 }],
    ['geohash_grid', 'at', 'point(10 20)', { lat: 20, lon: 10 }],
    ['cardinality', 'at', 's', { lat: 0, lon: 0 }],
    ['cardinality', 'at', 5, { lat: -90, lon: -45 }],
    ['terms', 'tag', 'A', 'A'],
    ['terms', 'size', '7', 7],
    ['avg', 'size', 1.5, 1.5],
    ['terms', 'open', 'true', 1],
    ['max', 'on', '1970-01-02', 86_400_000],
    ['max', 'on', 5, 5],
    ['date_range', 'nowhere', '1970-01-02', 86_400_000],
    ['terms', 'nowhere', 5, '5'],
    ['sum', 'nowhere', '5', 5],
  ])('is read once, by the field: %s of %s, %j', (kind, field, missing, value) => {
    const more = kind === 'date_range' ? { ranges: [{ from: '2020' }] } : {};
    expect(read(kind, { field, missing, ...more })).toEqual(value);
  });

  it.each(['', 'x,y', '200,10', '0,0,5', 'POINT (1 2 3)', 1.5, false])('is refused for a point: %j', (missing) => {
    expect(() => read('geohash_grid', { field: 'at', missing })).toThrow(/"missing" at .* must be a point/);
  });
});
