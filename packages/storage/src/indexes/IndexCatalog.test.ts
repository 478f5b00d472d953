import { describe, expect, it } from 'vitest';
import { openTestStorage, TEST_INTERNAL_INDEX } from '../openTestStorage.test.support.js';

describe('index controller (DOC-40)', () => {
  it('creates once, deletes what is there', async () => {
    const { run, refusal } = openTestStorage();
    const at = { index: 'a' };
    expect(await run('index.exists', at)).toBe(false);
    expect(await run('index.create', at)).toEqual({ acknowledged: true });
    expect(await run('index.exists', at)).toBe(true);
    expect(await refusal('index.create', at)).toMatchObject({ status: 409 });
    expect(await run('index.delete', at)).toEqual({ acknowledged: true });
    expect(await refusal('index.delete', at)).toMatchObject({ status: 404 });
    expect(await refusal('index.create', { index: 'roles' })).toMatchObject({ status: 400 });
  });

  it('lists by name, twice over, without the internal index (DOC-4, DOC-50)', async () => {
    const { run, engine } = openTestStorage();
    for (const index of ['b', TEST_INTERNAL_INDEX, 'a']) await engine.createIndex(index);
    expect(await run('index.list')).toEqual({ total: 2, hits: ['a', 'b'], indexes: ['a', 'b'] });
  });

  it('mDelete removes the named ones that are there, never the internal one (DOC-42)', async () => {
    const { run, engine } = openTestStorage();
    for (const index of ['a', 'b', 'c', TEST_INTERNAL_INDEX]) await engine.createIndex(index);
    const indexes = ['c', 'absent', TEST_INTERNAL_INDEX, 'a', 'c'];
    expect(await run('index.mDelete', { body: { indexes } })).toEqual({ deleted: ['c', 'a'] });
    expect(engine.listIndexes()).toEqual([TEST_INTERNAL_INDEX, 'b']);
  });

  it('mDelete without names removes all but the internal one', async () => {
    for (const body of [undefined, {}, { indexes: [] }]) {
      const { run, engine } = openTestStorage();
      for (const index of ['a', 'b', TEST_INTERNAL_INDEX]) await engine.createIndex(index);
      expect(await run('index.mDelete', { body })).toEqual({ deleted: ['a', 'b'] });
      expect(engine.listIndexes()).toEqual([TEST_INTERNAL_INDEX]);
    }
  });

  it('mDelete refuses anything but a list of names, and deletes nothing then', async () => {
    const { refusal, engine } = openTestStorage();
    await engine.createIndex('a');
    for (const indexes of ['a', 7, [1], { a: 1 }, ['a', '../x']]) {
      expect(await refusal('index.mDelete', { body: { indexes } })).toMatchObject({ status: 400 });
    }
    expect(engine.listIndexes()).toEqual(['a']);
  });

  it('keeps autoRefresh, which takes booleans alone', async () => {
    const { run, refusal } = openTestStorage();
    const at = { index: 'a' };
    await run('index.create', at);
    expect(await run('index.getAutoRefresh', at)).toBe(false);
    expect(await run('index.setAutoRefresh', { ...at, body: { autoRefresh: true } })).toBe(true);
    for (const body of [{}, { autoRefresh: 'true' }, { autoRefresh: 1 }, { autoRefresh: null }]) {
      expect(await refusal('index.setAutoRefresh', { ...at, body })).toMatchObject({ status: 400 });
    }
    expect(await run('index.getAutoRefresh', at)).toBe(true);
  });

  it('reports refreshed shards; absent indexes are a 404', async () => {
    const { run, refusal } = openTestStorage();
    await run('collection.create', { index: 'a', collection: 'c' });
    const _shards = { failed: 0, successful: 1, total: 1 };
    expect(await run('index.refresh', { index: 'a' })).toEqual({ _shards });
    for (const action of ['refresh', 'getAutoRefresh', 'setAutoRefresh']) {
      const fields = { index: 'none', body: { autoRefresh: true } };
      expect(await refusal(`index.${action}`, fields)).toMatchObject({ id: 'storage.index_not_found' });
    }
  });
});
