import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import { bindSearch, compileMapping, parseMapping, parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { documentScope } from '../documentScope.js';
import { measuredAggregations } from './aggregations/measuredAggregations.js';
import { computeAlone } from './computeAlone.js';
import { LiveAggregations } from './LiveAggregations.js';
import { LiveSearch } from './LiveSearch.js';

const mapping = compileMapping(parseMapping({ properties: { tag: { type: 'keyword' }, kind: { type: 'keyword' } } }));
const scopeOf = (tag: string, kind: string) =>
  documentScope({ id: tag, source: { tag, kind }, meta: NO_DOCUMENT_METADATA }, mapping);

describe('LiveAggregations', () => {
  it('counts the memory of keys that come and go (FOLLOW-8)', () => {
    const request = parseSearch({
      size: 0,
      aggs: {
        tags: { terms: { field: 'tag', size: 1 }, aggs: { kinds: { terms: { field: 'kind' } } } },
      },
    });
    const measured = measuredAggregations(request.aggregations);
    const search = new LiveSearch(bindSearch({ ...request, aggregations: measured }, mapping), mapping);
    const asked = bindSearch(request, mapping).aggregations;
    const bound = bindSearch({ ...request, aggregations: measured }, mapping).aggregations;
    const first = scopeOf('t0', 'k0');
    const live = new LiveAggregations(asked, computeAlone(bound, first, true) as never, mapping);
    const empty = live.bytes;
    // A key inside a key, and keys that the result doesn't show.
    expect(live.apply(search, null, scopeOf('t0', 'k1'))).toBe(true);
    const nested = live.bytes;
    expect(nested).toBeGreaterThan(empty);
    for (let n = 1; n <= 1_000; n++) live.apply(search, null, scopeOf(`t${n}`, 'k0'));
    expect(live.bytes - nested).toBeGreaterThan(1_000 * 20);
    expect(JSON.stringify(live.result()).length).toBeLessThan(1_000);
    for (let n = 1; n <= 1_000; n++) live.apply(search, scopeOf(`t${n}`, 'k0'), null);
    expect(live.bytes).toBe(nested);
    live.apply(search, scopeOf('t0', 'k1'), null);
    live.apply(search, first, null);
    expect(live.bytes).toBeLessThan(empty);
  });
});
