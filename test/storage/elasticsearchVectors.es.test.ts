import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, StorageEngine } from '@millrace/kernel';
import { compileMapping, parseMapping, parseSearch, toMappingBody } from '@millrace/query';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { discard, hasElasticsearch, NODES, startEngine, testConfig } from './openElasticsearch.js';

const NAME = { index: 'lab', collection: 'samples' };
/** A list that Elasticsearch's own dynamic mapping makes a `dense_vector`. */
const list = (length: number) => Array.from({ length }, (_, i) => i + 0.5);
const DECIMALS = list(200);

describe.skipIf(!hasElasticsearch()).each(NODES)('lists of numbers on Elasticsearch %s', (node) => {
  let config: ElasticsearchConfig;
  let engine: StorageEngine;

  const ask = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
    const response = await fetch(`${node}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as JsonObject;
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const put = (id: string, source: JsonObject) =>
    engine.write([{ ...NAME, kind: 'put', id, source, condition: 'any' }], true);
  const find = async (query: JsonObject) =>
    (await engine.search(NAME, parseSearch({ query }))).hits.map(({ id }) => id).sort();
  const properties = async () => toMappingBody(await engine.getMapping(NAME))['properties'];

  beforeEach(async () => {
    config = testConfig({ node });
    engine = await startEngine(config);
    await engine.createIndex(NAME.index);
  });
  afterEach(() => discard(engine, config));

  /** A collection as an earlier version created it, in which Elasticsearch has made a vector of a list. */
  const createFormer = async () => {
    const alias = `${config.prefix}~lab~.samples`;
    const mapping = JSON.stringify({ properties: { n: { type: 'integer' } } });
    await ask('PUT', `/${alias}~~1`, {
      settings: { number_of_replicas: 0 },
      mappings: {
        _meta: { millrace: { mapping } },
        properties: {
          n: { type: 'integer' },
          _millrace: { properties: { v: { type: 'long', index: false }, id: { type: 'keyword' } } },
          _meta: {
            properties: {
              createdAt: { type: 'date' },
              updatedAt: { type: 'date' },
              author: { type: 'keyword' },
              updater: { type: 'keyword' },
            },
          },
        },
      },
      aliases: { [alias]: {} },
    });
    const source = { _millrace: { v: 3, id: 'a' }, n: 1, v: DECIMALS, o: { w: DECIMALS } };
    await ask('PUT', `/${alias}~~1/_doc/a?refresh=true`, source);
    for (let i = 0; i < 120; i += 1)
      await ask('PUT', `/${alias}~~1/_doc/other${i}`, { _millrace: { v: 1, id: `other${i}` }, n: 2 });
    expect(JSON.stringify(await ask('GET', `/${alias}/_mapping`))).toContain('dense_vector');
    return alias;
  };
  const checkRepaired = async () => {
    expect(await properties()).toMatchObject({
      n: { type: 'integer' },
      v: { type: 'float' },
      o: { properties: { w: { type: 'float' } } },
    });
    const stored = await engine.read(NAME, 'a');
    expect(stored).toMatchObject({ version: 3, source: { n: 1 } });
    const { v, o } = stored?.source as { v: number[]; o: { w: number[] } };
    expect(v).toHaveLength(200);
    expect(v[3]).toBeCloseTo(3.5);
    expect(o.w[199]).toBeCloseTo(199.5);
    expect(await engine.count(NAME, parseSearch({}).query)).toBe(121);
    expect(await put('b', { v: list(3), o: { w: 7.5 } })).toMatchObject([{ status: 'created' }]);
    expect(await put('a', { n: 4, v: list(150) })).toMatchObject([{ status: 'replaced', version: 4 }]);
    expect(await find({ range: { v: { gt: 140 } } })).toEqual(['a']);
    expect(await find({ term: { 'o.w': 7.5 } })).toEqual(['b']);
  };

  it('make a field of decimals, whatever their length (SEARCH-45)', async () => {
    await engine.createCollection(NAME, parseMapping({}));
    expect(await put('a', { v: DECIMALS, i: DECIMALS.map(Math.floor) })).toMatchObject([{ status: 'created' }]);
    expect(await put('b', { v: [1.5], i: [7] })).toMatchObject([{ status: 'created' }]);
    expect(await properties()).toMatchObject({ v: { type: 'float' }, i: { type: 'long' } });
    expect(await engine.read(NAME, 'a')).toMatchObject({ source: { v: DECIMALS } });
    expect(await find({ term: { v: 1.5 } })).toEqual(['a', 'b']);
  });

  it('inside an object, at least leave everything else usable (SEARCH-48)', async () => {
    await engine.createCollection(NAME, parseMapping({ properties: { n: { type: 'integer' } } }));
    expect(await put('a', { n: 1, o: { w: DECIMALS } })).toMatchObject([{ status: 'created' }]);
    expect(await properties()).toMatchObject({ n: { type: 'integer' }, o: {} });
    expect(await put('b', { n: 2, o: { x: 'y' } })).toMatchObject([{ status: 'created' }]);
    expect(await engine.read(NAME, 'a')).toMatchObject({ source: { n: 1, o: { w: DECIMALS } } });
    expect(await find({ range: { n: { gte: 1 } } })).toEqual(['a', 'b']);
    await engine.updateMapping(NAME, parseMapping({ properties: { added: { type: 'keyword' } } }));
    expect(compileMapping(await engine.getMapping(NAME)).fields.has('added')).toBe(true);
    await engine.stop();
    engine = await startEngine(config);
    expect(await properties()).toMatchObject({ o: { properties: { w: { type: 'float' } } } });
    expect(await find({ term: { 'o.w': 1.5 } })).toEqual(['a']);
  });

  it('lists that an earlier version let become vectors are numbers again after the start', async () => {
    await createFormer();
    await engine.stop();
    engine = await startEngine(config);
    await checkRepaired();
  });

  it('are numbers again in a collection that an earlier version creates while this one runs', async () => {
    await createFormer();
    await checkRepaired();
  });

  it('and fields of other types are left out of the mapping, and break nothing else (SEARCH-48)', async () => {
    await engine.createCollection(NAME, parseMapping({ properties: { n: { type: 'integer' } } }));
    await ask('PUT', `/${config.prefix}~lab~.samples/_mapping`, {
      properties: {
        flat: { type: 'flattened' },
        t: { type: 'text', index_prefixes: {} },
        k: { type: 'keyword', fields: { c: { type: 'completion' }, l: { type: 'keyword' } } },
        s: { type: 'object', subobjects: false, properties: { x: { type: 'date_nanos' } } },
      },
    });
    expect(await put('a', { n: 1, flat: { any: 1 }, t: 'text', k: 'key' })).toMatchObject([{ status: 'created' }]);
    expect(await properties()).toEqual({
      n: { type: 'integer' },
      k: { type: 'keyword', fields: { l: { type: 'keyword' } } },
      s: { type: 'object' },
    });
    expect(await find({ term: { 'k.l': 'key' } })).toEqual(['a']);
    await engine.updateMapping(NAME, parseMapping({ properties: { m: { type: 'long' } } }));
    expect(await put('a', { n: 1, m: 2, flat: { any: 2 } })).toMatchObject([{ status: 'replaced' }]);
    expect(await find({ term: { m: 2 } })).toEqual(['a']);
  });
});
