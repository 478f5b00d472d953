import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { parseSearch } from '../request/parseSearch.js';
import { bindSearch } from '../request/bindSearch.js';

const properties = {
  n: { type: 'long' },
  d: { type: 'date', format: 'yyyy-MM-dd' },
  k: { type: 'keyword' },
  f: { type: 'double' },
  flag: { type: 'boolean' },
  ip: { type: 'ip' },
  g: { type: 'geo_point' },
  items: { type: 'nested', properties: { n: { type: 'long' } } },
};
const compiled = compileMapping(parseMapping({ properties }));
const check = (body: JsonObject) => () => bindSearch(parseSearch(body), compiled);

describe('values of search_after', () => {
  it.each<[JsonObject]>([
    [{ sort: [{ n: { missing: '2.0' } }] }],
    [{ sort: [{ d: { missing: '2024-01-01' } }] }],
    [{ sort: [{ k: { format: 'yyyy' } }] }],
    [{ sort: [{ k: { numeric_type: 'long' } }] }],
    [{ sort: ['n'], search_after: [true] }],
    [{ sort: ['d'], search_after: ['01/02/2024'] }],
    [{ sort: ['n'], search_after: [null] }],
    [{ sort: ['k', 'd'], search_after: ['a', null] }],
    [{ sort: ['f'], search_after: [null] }],
    [{ sort: ['flag'], search_after: [null] }],
    [{ sort: ['_doc'], search_after: [null] }],
    [{ sort: ['_score', '_id'], search_after: [null, null] }],
    [{ sort: [{ _geo_distance: { g: '1,1' } }], search_after: [null] }],
    [{ sort: [{ x: { unmapped_type: 'long' } }], search_after: [null] }],
    [{ sort: [{ x: { unmapped_type: 'date' } }], search_after: ['b'] }],
    [{ sort: [{ x: { unmapped_type: 'keyword', mode: 'sum' } }] }],
    [{ sort: [{ x: { unmapped_type: 'text' } }] }],
    [{ sort: [{ x: { unmapped_type: 'geo_point' } }] }],
    [{ sort: ['items.n'] }],
    [{ sort: [{ f: { missing: '7.25', numeric_type: 'long' } }] }],
    [{ sort: [{ d: { numeric_type: 'double' } }], search_after: ['2024-02-01'] }],
  ])('are refused where they do not fit, as Elasticsearch does: %j', (body) => {
    expect(check(body)).toThrow();
  });
  it.each<[JsonObject]>([
    [{ sort: [{ n: { missing: '2' } }] }],
    [{ sort: [{ d: { missing: 1_700_000_000_000, format: 'yyyy' } }] }],
    [{ sort: ['n'], search_after: ['5'] }],
    [{ sort: ['k', 'ip', '_id'], search_after: [null, null, null] }],
    [{ sort: [{ x: { unmapped_type: 'keyword' } }], search_after: [null] }],
    [{ sort: ['n'], search_after: [' 5 '] }],
    [{ sort: [{ f: { missing: ' 7.25' } }] }],
    [{ sort: [{ f: { missing: '1e400' } }] }],
    [{ sort: ['d'], search_after: ['2024-02-01'] }],
    [{ sort: ['flag'], search_after: [true] }],
    [{ sort: [{ 'items.n': { nested: { path: 'items' } } }] }],
  ])('are taken where they do: %j', (body) => {
    expect(check(body)).not.toThrow();
  });
});
