import { NO_DOCUMENT_METADATA, type JsonObject } from '@millrace/kernel';
import { bindSearch, compileMapping, parseMapping, parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { documentScope } from '../documentScope.js';
import { TestCollection } from '../TestCollection.test.support.js';
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

  it('equal those of a search after each change, or request another search (FOLLOW-2)', () => {
    const properties = {
      tag: { type: 'keyword' },
      n: { type: 'integer' },
      day: { type: 'date' },
      items: { type: 'nested', properties: { name: { type: 'keyword' }, n: { type: 'integer' } } },
    };
    const sum = { sum: { field: 'n' } };
    const aggs: Record<string, JsonObject> = {
      sum,
      values: { value_count: { field: 'tag' } },
      min: { min: { field: 'n' } },
      max: { max: { field: 'n' } },
      avg: { avg: { field: 'n' } },
      stats: { stats: { field: 'n' } },
      tags: { cardinality: { field: 'tag' } },
      terms: { terms: { field: 'tag', size: 2 }, aggs: { sum, days: { cardinality: { field: 'day' } } } },
      byMax: { terms: { field: 'tag', order: { top: 'desc' } }, aggs: { top: { sum: { field: 'n' } } } },
      filter: { filter: { term: { tag: 'red' } }, aggs: { sum } },
      filters: { filters: { filters: { few: { range: { n: { lt: 3 } } }, many: { range: { n: { gte: 3 } } } } } },
      ranges: { range: { field: 'n', ranges: [{ to: 3 }, { from: 2 }] }, aggs: { tags: { terms: { field: 'tag' } } } },
      missing: { missing: { field: 'tag' } },
      histogram: { histogram: { field: 'n', interval: 2 }, aggs: { sum } },
      days: { date_histogram: { field: 'day', calendar_interval: 'month', min_doc_count: 1 } },
      items: { nested: { path: 'items' }, aggs: { names: { terms: { field: 'items.name' } } } },
    };
    const fields = compileMapping(parseMapping({ properties }));
    const scopeIn = (source: JsonObject) => documentScope({ id: 'x', source, meta: NO_DOCUMENT_METADATA }, fields);
    let state = 7;
    const below = (limit: number) => {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
      return Math.floor((state / 4_294_967_296) * limit);
    };
    const some = <T>(make: () => T) => Array.from({ length: below(3) }, make);
    const pick = () => ['red', 'green', 'blue', 'grey'][below(4)] as string;
    const document = (): JsonObject => ({
      tag: some(pick),
      n: below(6),
      day: `2024-0${1 + below(4)}-1${below(3)}`,
      items: some(() => ({ name: pick(), n: below(3) })),
    });
    for (const [name, aggregation] of Object.entries(aggs)) {
      const body = { size: 0, aggs: { [name]: aggregation } };
      const request = parseSearch(body);
      const measured = { ...request, aggregations: measuredAggregations(request.aggregations) };
      const search = new LiveSearch(bindSearch(measured, fields), fields);
      const things = new TestCollection({ properties });
      const start = () =>
        new LiveAggregations(bindSearch(request, fields).aggregations, things.run(measured).aggregations ?? {}, fields);
      const stored = new Map<string, JsonObject>();
      let live = start();
      let keptCount = 0;
      for (let step = 0; step < 150; step++) {
        const id = `d${below(25)}`;
        const before = stored.get(id);
        const after = below(4) === 0 ? undefined : document();
        if (after === undefined) stored.delete(id);
        else stored.set(id, after);
        things.delete(id);
        if (after !== undefined) things.put({ [id]: after });
        const isKept = live.apply(search, before ? scopeIn(before) : null, after ? scopeIn(after) : null);
        if (isKept) keptCount++;
        else live = start();
        expect(live.result(), `${name}, step ${step}`).toEqual(things.search(body).aggregations);
      }
      expect(keptCount, name).toBeGreaterThan(75);
    }
  });
});
