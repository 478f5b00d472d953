import { describe, expect, it } from 'vitest';
import { DOCUMENT_LISTENERS, NO_LISTENERS } from '@millrace/kernel';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };

describe('collection controller (DOC-40)', () => {
  it('creates with its index; again it does nothing', async () => {
    const { run } = openTestStorage();
    expect(await run('collection.create', AT)).toEqual({ acknowledged: true });
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    expect(await run('collection.create', AT)).toEqual({ acknowledged: true });
    expect(await run('document.get', { ...AT, _id: 'a' })).toMatchObject({ _source: { n: 1 } });
  });

  it('lays the mapping given at creation over the default one', async () => {
    const properties = { tag: { type: 'keyword' }, o: { properties: { x: { type: 'long' } } } };
    const { run } = openTestStorage({ defaultMapping: { dynamic: false, properties } });
    const body = {
      properties: { tag: { type: 'date' }, o: { properties: { y: { type: 'ip' } } } },
    };
    await run('collection.create', { ...AT, body });
    await run('document.create', { ...AT, collection: 'plain', body: {} });
    expect(await run('collection.getMapping', AT)).toMatchObject({
      shop: {
        mappings: {
          things: {
            dynamic: false,
            properties: {
              tag: { type: 'date' },
              o: { properties: { x: { type: 'long' }, y: { type: 'ip' } } },
            },
          },
        },
      },
    });
    expect(await run('collection.getMapping', { ...AT, collection: 'plain' })).toMatchObject({
      shop: { mappings: { plain: { dynamic: false, properties } } },
    });
  });

  it('updateMapping merges, or creates the collection', async () => {
    const { run } = openTestStorage();
    const update = (properties: object) => run('collection.updateMapping', { ...AT, body: { properties } });
    expect(await update({ a: { type: 'keyword' } })).toEqual({});
    expect(await update({ b: { type: 'date' } })).toEqual({});
    expect(await run('collection.getMapping', AT)).toMatchObject({
      shop: {
        mappings: { things: { properties: { a: { type: 'keyword' }, b: { type: 'date' } } } },
      },
    });
  });

  it('updateMapping with dryRun checks the change alone, also of an absent collection', async () => {
    const { run, refusal } = openTestStorage();
    const check = (properties: object) => ({ ...AT, dryRun: true, body: { properties } });
    expect(await run('collection.updateMapping', check({ a: { type: 'keyword' } }))).toEqual({});
    expect(await run('index.exists', AT)).toBe(false);
    await run('collection.create', { ...AT, body: { properties: { a: { type: 'keyword' } } } });
    const before = await run('collection.getMapping', AT);
    expect(await run('collection.updateMapping', check({ b: { type: 'date' } }))).toEqual({});
    for (const properties of [{ a: { type: 'integer' } }, { b: { type: 'stringy' } }])
      expect(await refusal('collection.updateMapping', check(properties))).toMatchObject({
        id: 'storage.invalid_mapping',
      });
    expect(await run('collection.getMapping', AT)).toEqual(before);
  });

  it('refuses a mapping that is none, or that contradicts, and changes nothing', async () => {
    const { run, refusal } = openTestStorage();
    const bad = { properties: { z: { type: 'stringy' } } };
    expect(await refusal('collection.updateMapping', { ...AT, body: bad })).toMatchObject({
      id: 'storage.invalid_mapping',
      status: 400,
    });
    expect(await refusal('collection.create', { ...AT, body: bad })).toMatchObject({ status: 400 });
    expect(await run('index.exists', AT)).toBe(false);
    await run('collection.create', { ...AT, body: { properties: { a: { type: 'keyword' } } } });
    const other = { properties: { a: { type: 'integer' } } };
    expect(await refusal('collection.updateMapping', { ...AT, body: other })).toMatchObject({
      id: 'storage.invalid_mapping',
    });
  });

  it('refuses a mapping whose parts do not fit each other, also for a new collection', async () => {
    const { refusal } = openTestStorage();
    for (const properties of [
      { n: { type: 'integer', null_value: 'x' } },
      { a: { type: 'keyword', copy_to: 'o' }, o: { properties: {} } },
    ]) {
      for (const action of ['collection.updateMapping', 'collection.create'] as const) {
        const at = { index: 'fresh', collection: 'misfit', body: { properties } };
        expect(await refusal(action, at)).toMatchObject({ id: 'storage.invalid_mapping' });
      }
    }
  });

  it('stops the start over a default mapping that is none, naming the key', () => {
    expect(() => openTestStorage({ defaultMapping: { properties: { a: { type: 'stringy' } } } })).toThrow(
      /storage\.defaultMapping/,
    );
  });

  it('truncates, deletes, exists; an absent one is a 404 except for exists', async () => {
    const { run, refusal } = openTestStorage();
    expect(await run('collection.exists', AT)).toBe(false);
    await run('document.create', { ...AT, _id: 'a', body: {} });
    expect(await run('collection.truncate', AT)).toEqual({ acknowledged: true });
    expect(await run('document.count', AT)).toEqual({ count: 0 });
    expect(await run('collection.delete', AT)).toEqual({ acknowledged: true });
    expect(await run('collection.exists', AT)).toBe(false);
    expect(await run('collection.truncate', AT)).toEqual({ acknowledged: true });
    expect(await refusal('collection.truncate', { ...AT, index: 'no' })).toMatchObject({
      id: 'storage.index_not_found',
    });
    for (const action of ['delete', 'getMapping']) {
      expect(await refusal(`collection.${action}`, AT)).toMatchObject({ id: 'storage.collection_not_found' });
      expect(await refusal(`collection.${action}`, { ...AT, index: 'no' })).toMatchObject({
        id: 'storage.index_not_found',
      });
    }
  });
});

describe('collection.list', () => {
  const stored = (...names: string[]) => names.map((name) => ({ name, type: 'stored' }));
  const filled = async () => {
    const storage = openTestStorage({}, (container) => {
      const namesIn = () => ['rooms', 'alpha', 'Zoo'];
      container.registerInstance(DOCUMENT_LISTENERS, { ...NO_LISTENERS, namesIn });
    });
    for (const collection of ['gamma', 'alpha', 'Beta']) {
      await storage.run('collection.create', { index: 'shop', collection });
    }
    return storage;
  };

  it('gives stored and subscribed collections by code unit, realtime before stored (DOC-22)', async () => {
    const { run } = await filled();
    const rooms = (...names: string[]) => names.map((name) => ({ name, type: 'realtime' }));
    expect(await run('collection.list', { index: 'shop' })).toEqual({
      collections: [...stored('Beta'), ...rooms('Zoo', 'alpha'), ...stored('alpha', 'gamma'), ...rooms('rooms')],
      type: 'all',
    });
    expect(await run('collection.list', { index: 'shop', type: 'stored' })).toEqual({
      collections: stored('Beta', 'alpha', 'gamma'),
      type: 'stored',
    });
    expect(await run('collection.list', { index: 'shop', body: { type: 'realtime' } })).toEqual({
      collections: rooms('Zoo', 'alpha', 'rooms'),
      type: 'realtime',
    });
  });

  it('cuts by from and size and returns those given', async () => {
    const { run } = await filled();
    const list = (more: object) => run('collection.list', { index: 'shop', type: 'stored', ...more });
    expect(await list({ from: '1', size: 1 })).toEqual({
      collections: stored('alpha'),
      type: 'stored',
      from: 1,
      size: 1,
    });
    expect(await list({ size: 0 })).toEqual({ collections: [], type: 'stored', size: 0 });
    expect(await list({ body: { from: 9 } })).toEqual({ collections: [], type: 'stored', from: 9 });
  });

  it('refuses other types, bad numbers and absent indexes', async () => {
    const { refusal } = await filled();
    for (const more of [{ type: 'other' }, { from: 'x' }, { size: -2 }]) {
      expect(await refusal('collection.list', { index: 'shop', ...more })).toMatchObject({ status: 400 });
    }
    expect(await refusal('collection.list', { index: 'none' })).toMatchObject({ status: 404 });
  });
});
