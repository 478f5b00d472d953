import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StorageEngine, WriteOperation } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { discard, hasElasticsearch, startEngine, testConfig } from './openElasticsearch.js';

const THINGS = { index: 'shared', collection: 'Things' };
const put = (id: string, source: object): WriteOperation =>
  ({ ...THINGS, kind: 'put', id, source, condition: 'any' }) as WriteOperation;

describe.skipIf(!hasElasticsearch())('two ElasticsearchEngines on one cluster', () => {
  let config: ReturnType<typeof testConfig>;
  let one: StorageEngine;
  let two: StorageEngine;

  beforeEach(async () => {
    config = testConfig({ bulkMaxOperations: 7 });
    [one, two] = await Promise.all([startEngine(config), startEngine(config)]);
    await one.createCollection(THINGS, parseMapping({ properties: {} }));
  });
  afterEach(async () => {
    await two.stop();
    await discard(one, config);
  });

  it('agree on indexes, collections and settings', async () => {
    await Promise.all([one.createIndex('a'), two.createIndex('b')]);
    expect(await one.listIndexes()).toEqual(['a', 'b', 'shared']);
    expect(await two.listIndexes()).toEqual(['a', 'b', 'shared']);
    await two.setIndexSettings('a', { autoRefresh: true });
    expect(await two.listCollections('shared')).toEqual(['Things']);
    await two.deleteIndex('shared');
    expect(await one.hasCollection(THINGS)).toBe(false);
  });

  it('count every change of one document in its version', async () => {
    const writes = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : two).write([put('a', { n })], false));
    const versions = (await Promise.all(writes)).map(([outcome]) => (outcome as { version: number }).version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(await two.read(THINGS, 'a')).toMatchObject({ version: 20 });
  });

  it('write to the emptied collection after a truncate by the other', async () => {
    await one.write([put('a', { n: 1 })], true);
    await two.truncate(THINGS);
    expect(await one.write([put('b', { n: 2 })], true)).toMatchObject([{ status: 'created', version: 1 }]);
    expect(await two.count(THINGS, parseSearch({}).query)).toBe(1);
    expect(await one.read(THINGS, 'a')).toBeNull();
  });

  it('show a document that the other has written with the fields that it brought', async () => {
    await one.write([put('a', { fresh: 'mill' })], true);
    const { hits } = await two.search(THINGS, parseSearch({ query: { term: { fresh: 'mill' } } }));
    expect(hits).toMatchObject([{ id: 'a', source: { fresh: 'mill' } }]);
  });

  it('keep outcomes in order over many bulk requests', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `d${n}`);
    const outcomes = await one.write(
      [...ids, 'd7', 'd7'].map((id) => put(id, { id })),
      true,
    );
    expect(outcomes.slice(0, 50).every(({ status }) => status === 'created')).toBe(true);
    expect(outcomes.slice(50)).toMatchObject([
      { status: 'replaced', version: 2 },
      { status: 'replaced', version: 3 },
    ]);
    expect(await two.count(THINGS, parseSearch({}).query)).toBe(50);
  });

  it('show nothing of the metadata or of names on the server', async () => {
    await one.write([put('a', { tag: 'x', parts: [{ n: 1 }], n: 1 })], true);
    const request = parseSearch({
      _source: ['*'],
      highlight: { fields: { '*': {} }, require_field_match: false },
      query: { match: { tag: 'x' } },
      sort: ['_id'],
      aggs: { best: { top_hits: { version: true } } },
      version: true,
    });
    const outcome = await one.search(THINGS, request);
    const text = JSON.stringify([outcome, await one.read(THINGS, 'a'), await one.getMapping(THINGS)]);
    expect(text).not.toMatch(/_millrace|~/);
    expect(outcome).toMatchObject({
      hits: [{ id: 'a', version: 1, sort: ['a'], source: { tag: 'x', parts: [{ n: 1 }] } }],
      aggregations: {
        best: { hits: { hits: [{ _index: 'shared', _type: 'Things', _version: 1 }] } },
      },
    });
    const [refused] = await one.write([put('b', { n: 'seven' })], false);
    expect(refused).toMatchObject({ status: 'failed', error: { id: 'document.invalid_value' } });
    const { message } = (refused as { error: Error }).error;
    expect(message).toMatch(/\[n\].*seven/);
    expect(message).not.toMatch(/~|_millrace|test-/);
  });

  it('answers a request that only the server refuses with query.invalid and its reason', async () => {
    await one.write([put('a', { tag: 'x', n: 1 })], true);
    const request = parseSearch({ query: { regexp: { tag: { value: 'a{1,9999999}' } } } });
    await expect(one.search(THINGS, request)).rejects.toMatchObject({ id: 'query.invalid' });
  });
});
