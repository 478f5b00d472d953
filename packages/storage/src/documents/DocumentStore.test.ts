import { describe, expect, it } from 'vitest';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };

describe('single documents (DOC-11, DOC-12)', () => {
  it('creates index and collection with the first document, under a generated id (DOC-10)', async () => {
    const { run } = openTestStorage();
    const created = await run('document.create', { ...AT, body: { a: 1 } });
    expect(created).toEqual({ _id: expect.stringMatching(/^[\w-]{20}$/) as unknown, _version: 1, _source: { a: 1 } });
    expect(await run('index.exists', AT)).toBe(true);
    expect(await run('collection.exists', AT)).toBe(true);
  });

  it('takes the id from the argument before the one in the body, which is no content', async () => {
    const { run } = openTestStorage();
    const body = { _id: 'inner', a: 1 };
    const mine = { _id: 'inner', _version: 1, _source: { a: 1 } };
    expect(await run('document.create', { ...AT, body })).toEqual(mine);
    expect(await run('document.create', { ...AT, _id: 'outer', body })).toMatchObject({
      _id: 'outer',
      _source: { a: 1 },
    });
    expect(await run('document.createOrReplace', { ...AT, body })).toMatchObject({ _id: 'inner', _version: 2 });
    expect(await run('document.create', { ...AT, _id: null, body: { _id: null } })).toMatchObject({ _source: {} });
  });

  it('gets a document with index and collection', async () => {
    const { run } = openTestStorage();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    expect(await run('document.get', { ...AT, _id: 'a' })).toEqual({
      _id: 'a',
      _index: 'shop',
      _type: 'things',
      _version: 1,
      _source: { n: 1 },
    });
  });

  it('tells which is absent: index, collection or document', async () => {
    const { run, refusal } = openTestStorage();
    const get = { ...AT, _id: 'a' };
    expect(await refusal('document.get', get)).toMatchObject({ id: 'storage.index_not_found' });
    await run('index.create', AT);
    expect(await refusal('document.get', get)).toMatchObject({ id: 'storage.collection_not_found' });
    await run('collection.create', AT);
    expect(await refusal('document.get', get)).toMatchObject({ id: 'document.not_found', status: 404 });
  });

  it('refuses to create what exists: 409', async () => {
    const { run, refusal } = openTestStorage();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    const again = await refusal('document.create', { ...AT, _id: 'a', body: { n: 2 } });
    expect(again).toMatchObject({ id: 'document.already_exists', status: 409 });
    expect(await run('document.get', { ...AT, _id: 'a' })).toMatchObject({ _source: { n: 1 } });
  });

  it('creates, then replaces whole', async () => {
    const { run } = openTestStorage();
    const put = (body: object) => run('document.createOrReplace', { ...AT, _id: 'a', body });
    expect(await put({ x: 1, y: 2 })).toEqual({ _id: 'a', _source: { x: 1, y: 2 }, _version: 1, created: true });
    expect(await put({ y: 3 })).toEqual({ _id: 'a', _source: { y: 3 }, _version: 2, created: false });
  });

  it('replaces only what exists, in the version asked for', async () => {
    const { run, refusal } = openTestStorage();
    const replace = { ...AT, _id: 'a', body: { n: 2 } };
    expect(await refusal('document.replace', replace)).toMatchObject({ status: 404 });
    expect(await run('collection.exists', AT)).toBe(false);
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    expect(await refusal('document.replace', { ...replace, ifVersion: 7 })).toMatchObject({
      id: 'document.version_conflict',
    });
    expect(await refusal('document.replace', { ...replace, ifVersion: 'one' })).toMatchObject({ status: 400 });
    expect(await run('document.replace', { ...replace, ifVersion: '1' })).toEqual({
      _id: 'a',
      _source: { n: 2 },
      _version: 2,
      created: false,
    });
  });

  it('deletes what exists, in the version asked for', async () => {
    const { run, refusal } = openTestStorage();
    await run('document.create', { ...AT, _id: 'a', body: {} });
    const asked = { ...AT, _id: 'a' };
    expect(await refusal('document.delete', { ...asked, ifVersion: 3 })).toMatchObject({ status: 409 });
    expect(await run('document.delete', { ...asked, ifVersion: 1 })).toEqual({ _id: 'a' });
    expect(await refusal('document.delete', asked)).toMatchObject({ id: 'document.not_found' });
  });

  it('refuses keys that begin with _ at the top, naming them, and creates nothing (DOC-14)', async () => {
    const { run, refusal } = openTestStorage();
    for (const body of [{ _foo: 1 }, { a: 1, _version: 3 }, JSON.parse('{"__proto__":{}}')]) {
      for (const action of ['create', 'createOrReplace', 'replace', 'update']) {
        const refused = await refusal(`document.${action}`, { ...AT, _id: 'a', body });
        expect(refused).toMatchObject({ id: 'document.reserved_key', status: 400 });
      }
    }
    expect(await run('index.exists', AT)).toBe(false);
    const inner = await run('document.create', { ...AT, body: { a: { _inner: 1 } } });
    expect(inner).toMatchObject({ _source: { a: { _inner: 1 } } });
  });

  it('refuses bad names before the engine sees them', async () => {
    const { refusal } = openTestStorage();
    const bad = [{ index: 'A' }, { index: 'users' }, { collection: '../x' }, { _id: '' }, { _id: 'a\n' }];
    for (const fields of bad) {
      const refused = await refusal('document.create', { ...AT, ...fields, body: {} });
      expect(refused).toMatchObject({ id: 'storage.invalid_name', status: 400 });
    }
    for (const missing of ['index', 'collection', '_id']) {
      const refused = await refusal('document.get', { ...AT, _id: 'a', [missing]: null });
      expect(refused).toMatchObject({
        id: 'api.missing_argument',
        message: expect.stringContaining(missing) as unknown,
      });
    }
  });

  it('asks for a refresh on wait_for, true and under autoRefresh, and takes no other word', async () => {
    const { run, refusal, engine } = openTestStorage();
    await run('document.create', { ...AT, body: {} });
    await run('document.create', { ...AT, body: {}, refresh: 'wait_for' });
    for (const refresh of ['true', true, 'false', false, '', null]) {
      await run('document.create', { ...AT, body: {}, refresh });
    }
    await run('index.setAutoRefresh', { ...AT, body: { autoRefresh: true } });
    await run('document.create', { ...AT, body: {}, refresh: false });
    expect(engine.refreshes).toEqual([false, true, true, true, false, false, false, false, true]);
    for (const refresh of ['yes', 1, 'WAIT_FOR', [], {}]) {
      expect(await refusal('document.create', { ...AT, body: {}, refresh })).toMatchObject({ status: 400 });
    }
  });

  it('lets all concurrent first writes of a collection succeed', async () => {
    const { run } = openTestStorage();
    const ids = Array.from({ length: 20 }, (_, n) => `d${n}`);
    await Promise.all(ids.map((_id) => run('document.create', { ...AT, _id, body: {} })));
    expect(await run('document.count', AT)).toEqual({ count: 20 });
  });

  it('writes into a collection that is deleted just before the write', async () => {
    const { run, engine } = openTestStorage();
    await run('collection.create', AT);
    let deletions = 0;
    engine.beforeWrite = () => {
      if (deletions++ === 0) engine.indexes.delete('shop');
    };
    expect(await run('document.create', { ...AT, _id: 'a', body: {} })).toMatchObject({ _version: 1 });
    expect(await run('document.get', { ...AT, _id: 'a' })).toMatchObject({ _id: 'a' });
  });

  it('passes on why the engine refused a value', async () => {
    const { refusal, engine } = openTestStorage();
    engine.refuses = ({ n }) => (typeof n === 'number' ? undefined : 'n is no number');
    const refused = await refusal('document.create', { ...AT, body: { n: 'x' } });
    expect(refused).toMatchObject({
      id: 'document.invalid_value',
      message: expect.stringContaining('n is no number') as unknown,
    });
  });

  it('is always valid without specifications, for documents and messages', async () => {
    const { run } = openTestStorage();
    for (const action of ['document.validate', 'realtime.validate']) {
      expect(await run(action, { ...AT, body: { any: [1] } })).toEqual({ valid: true, errorMessages: {} });
    }
    expect(await run('index.exists', AT)).toBe(false);
  });
});
