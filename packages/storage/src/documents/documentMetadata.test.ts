import { describe, expect, it } from 'vitest';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };
const A = { ...AT, _id: 'a' };
const ANNA = { _id: 'anna', profileIds: [] };
const BERT = { _id: 'bert', profileIds: [] };

const created = (createdAt: number, author: string | null) => ({
  createdAt,
  updatedAt: null,
  author,
  updater: null,
});

function open() {
  const storage = openTestStorage();
  const { time } = storage;
  const start = time.nowMs;
  const at = (ms: number) => (time.nowMs = start + ms);
  return { ...storage, start, at };
}

describe('document metadata (DOC-17)', () => {
  it('says who created a document and when; an anonymous caller is null', async () => {
    const { runWhole, start } = open();
    const anonymous = await runWhole('document.create', { ...AT, body: {} });
    expect(anonymous).toMatchObject({ _meta: created(start, null) });
    const one = await runWhole('document.create', { ...A, body: { n: 1 } }, ANNA);
    expect(one).toEqual({
      _id: 'a',
      _version: 1,
      _source: { n: 1 },
      _meta: created(start, 'anna'),
    });
    expect(await runWhole('document.get', A)).toMatchObject({ _meta: created(start, 'anna') });
    expect(await runWhole('document.mGet', { ...AT, body: { ids: ['a'] } })).toMatchObject({
      successes: [{ _id: 'a', _meta: created(start, 'anna') }],
    });
    expect(await runWhole('document.search', { ...AT, body: { query: { term: { n: 1 } } } }, BERT)).toMatchObject({
      hits: [{ _id: 'a', _meta: created(start, 'anna') }],
    });
  });

  it.each([
    ['createOrReplace', { n: 2 }],
    ['replace', { n: 2 }],
    ['update', { n: 2 }],
  ])('%s keeps createdAt and author', async (action, body) => {
    const { runWhole, start, at } = open();
    await runWhole('document.create', { ...A, body: { n: 1 } }, ANNA);
    at(5_000);
    const changed = await runWhole(`document.${action}`, { ...A, body }, BERT);
    const _meta = {
      createdAt: start,
      updatedAt: start + 5_000,
      author: 'anna',
      updater: 'bert',
    };
    expect(changed).toMatchObject({ _id: 'a', _version: 2, _source: { n: 2 }, _meta });
    at(9_000);
    const again = await runWhole(`document.${action}`, { ...A, body: { n: 3 } });
    expect(again).toMatchObject({ _meta: { ..._meta, updatedAt: start + 9_000, updater: null } });
  });

  it('an update that changes nothing changes no metadata, and a new creation begins again', async () => {
    const { runWhole, start, at } = open();
    await runWhole('document.create', { ...A, body: { n: 1 } }, ANNA);
    at(1_000);
    const same = await runWhole('document.update', { ...A, body: { n: 1 } }, BERT);
    expect(same).toMatchObject({ _version: 1, _meta: created(start, 'anna') });
    await runWhole('document.delete', A);
    const second = await runWhole('document.create', { ...A, body: {} }, BERT);
    expect(second).toMatchObject({ _meta: created(start + 1_000, 'bert') });
  });

  it('multi-document actions and imports set it as single writes do', async () => {
    const { runWhole, start, at } = open();
    const documents = (n: number) => ({
      documents: [
        { _id: 'a', body: { n } },
        { _id: 'b', body: { n } },
      ],
    });
    const made = await runWhole('document.mCreate', { ...AT, body: documents(1) }, ANNA);
    const meta = created(start, 'anna');
    expect(made).toMatchObject({
      successes: [
        { _id: 'a', _meta: meta },
        { _id: 'b', _meta: meta },
      ],
    });
    at(1_000);
    const changed = { ...meta, updatedAt: start + 1_000, updater: 'bert' };
    for (const [n, action] of ['mCreateOrReplace', 'mReplace', 'mUpdate'].entries()) {
      const result = await runWhole(`document.${action}`, { ...AT, body: documents(n + 2) }, BERT);
      expect(result).toMatchObject({ successes: [{ _meta: changed }, { _meta: changed }] });
    }
    const bulkData = [{ index: { _id: 'a' } }, { n: 9 }, { create: { _id: 'c' } }, { n: 9 }];
    const report = await runWhole('bulk.import', { ...AT, body: { bulkData } }, ANNA);
    expect(JSON.stringify(report)).not.toContain('_meta');
    expect(await runWhole('document.get', A)).toMatchObject({ _meta: { ...changed, updater: 'anna' } });
    expect(await runWhole('document.get', { ...AT, _id: 'c' })).toMatchObject({
      _meta: created(start + 1_000, 'anna'),
    });
  });

  it('cannot be set by a client', async () => {
    const { refusal } = open();
    const body = { _meta: { author: 'anna' } };
    for (const action of ['create', 'createOrReplace']) {
      const refused = await refusal(`document.${action}`, { ...A, body });
      expect(refused).toMatchObject({ status: 400, id: 'document.reserved_key' });
    }
  });
});
