import { describe, expect, it } from 'vitest';
import { CONTENT_RULES, NO_SPECIFICATIONS, type ContentRules } from '@millrace/kernel';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };

async function filled() {
  const storage = openTestStorage();
  await storage.run('document.create', { ...AT, _id: 'a', body: { o: { x: 1 } } });
  await storage.run('document.create', { ...AT, _id: 'b', body: { n: 2 } });
  const many = (action: string, body: object) => storage.run(`document.${action}`, { ...AT, body });
  const partly = (action: string, body: object) => storage.refusal(`document.${action}`, { ...AT, body });
  return { ...storage, many, partly };
}

describe('multi-document actions (DOC-30)', () => {
  it('mCreate creates under given, own and generated ids, and the collection with them', async () => {
    const { run } = openTestStorage();
    const documents = [{ _id: 'a', body: { n: 1 } }, { body: { _id: 'b', n: 2 } }, { body: {} }];
    expect(await run('document.mCreate', { ...AT, body: { documents } })).toEqual({
      successes: [
        { _id: 'a', _version: 1, _source: { n: 1 } },
        { _id: 'b', _version: 1, _source: { n: 2 } },
        { _id: expect.stringMatching(/^[\w-]{20}$/) as unknown, _version: 1, _source: {} },
      ],
      errors: [],
    });
  });

  it('gives other work turns of the event loop while updates are merged and validated', async () => {
    const rules: ContentRules = {
      ...NO_SPECIFICATIONS,
      admit: ({ source }) => {
        const endMs = performance.now() + 4;
        while (performance.now() < endMs);
        return source;
      },
    };
    const { run } = openTestStorage({}, (container) => container.registerInstance(CONTENT_RULES, rules));
    const ids = Array.from({ length: 20 }, (_, n) => `d-${n}`);
    await run('document.mCreate', { ...AT, body: { documents: ids.map((_id) => ({ _id, body: {} })) } });
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await run('document.mUpdate', { ...AT, body: { documents: ids.map((_id) => ({ _id, body: { n: 1 } })) } });
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(5);
  });

  it('answers 206 with both lists in order when any fails', async () => {
    const { partly } = await filled();
    const documents = [
      { _id: 'a', body: { n: 1 } },
      { _id: 'c', body: {} },
      { body: { _bad: 1 } },
      { _id: '', body: {} },
    ];
    const { status, id, result, details } = await partly('mCreate', { documents });
    expect([status, id]).toEqual([206, 'document.partial_failure']);
    const reason = expect.any(String) as unknown;
    const errors = [
      { _id: 'a', status: 409, reason },
      { document: { body: { _bad: 1 } }, status: 400, reason },
      { _id: '', status: 400, reason },
    ];
    expect(result).toEqual({ successes: [{ _id: 'c', _version: 1, _source: {} }], errors });
    expect(details).toEqual(errors);
  });

  it('answers 206 also when all fail', async () => {
    const { partly } = await filled();
    const { status, result } = await partly('mDelete', { ids: ['x', 'y'] });
    expect([status, result]).toMatchObject([206, { successes: [], errors: [{ _id: 'x', status: 404 }, { _id: 'y' }] }]);
  });

  it('mCreateOrReplace and mReplace tell whether a document is new', async () => {
    const { many, partly } = await filled();
    const documents = [
      { _id: 'a', body: { n: 5 } },
      { _id: 'c', body: { n: 6 } },
    ];
    expect(await many('mCreateOrReplace', { documents })).toEqual({
      successes: [
        { _id: 'a', _version: 2, _source: { n: 5 }, created: false },
        { _id: 'c', _version: 1, _source: { n: 6 }, created: true },
      ],
      errors: [],
    });
    const { result } = await partly('mReplace', {
      documents: [
        { _id: 'b', body: {} },
        { _id: 'no', body: {} },
      ],
    });
    expect(result).toMatchObject({
      successes: [{ _id: 'b', _version: 2, created: false }],
      errors: [{ _id: 'no', status: 404 }],
    });
  });

  it('mUpdate merges, one document twice in order', async () => {
    const { many } = await filled();
    const documents = [
      { _id: 'a', body: { o: { y: 1 } } },
      { _id: 'a', body: { o: { y: 2 }, z: null } },
    ];
    expect(await many('mUpdate', { documents })).toEqual({
      successes: [
        { _id: 'a', _version: 2, _source: { o: { x: 1, y: 1 } } },
        { _id: 'a', _version: 3, _source: { o: { x: 1, y: 2 }, z: null } },
      ],
      errors: [],
    });
  });

  it('mGet and mDelete go by ids, in the order of the request', async () => {
    const { many, partly, run } = await filled();
    expect(await many('mGet', { ids: ['b', 'a'] })).toEqual({
      successes: [
        { _id: 'b', _version: 1, _source: { n: 2 } },
        { _id: 'a', _version: 1, _source: { o: { x: 1 } } },
      ],
      errors: [],
    });
    const { result } = await partly('mGet', { ids: ['no', 'a', '\n'] });
    expect(result).toMatchObject({
      successes: [{ _id: 'a' }],
      errors: [
        { _id: 'no', status: 404 },
        { _id: '\n', status: 400 },
      ],
    });
    expect(await many('mDelete', { ids: ['b', 'a'] })).toEqual({ successes: ['b', 'a'], errors: [] });
    expect(await run('document.count', AT)).toEqual({ count: 0 });
  });

  it('answers empty lists with empty lists', async () => {
    const { run } = openTestStorage();
    for (const action of ['mCreate', 'mCreateOrReplace', 'mReplace', 'mUpdate', 'mGet', 'mDelete']) {
      const body = { documents: [], ids: [] };
      expect(await run(`document.${action}`, { ...AT, body })).toEqual({ successes: [], errors: [] });
    }
  });

  it('refuses a wrong form as a whole', async () => {
    const { partly, run } = await filled();
    const good = { _id: 'new', body: {} };
    const wrong: [string, object][] = [
      ['mCreate', {}],
      ['mCreate', { documents: 'x' }],
      ['mCreate', { documents: [good, 5] }],
      ['mCreate', { documents: [good, { _id: 'x' }] }],
      ['mCreate', { documents: [good, { _id: 7, body: {} }] }],
      ['mCreate', { documents: [good, { body: [] }] }],
      ['mReplace', { documents: [{ body: {} }] }],
      ['mUpdate', { documents: [{ _id: null, body: {} }] }],
      ['mGet', { ids: 'a' }],
      ['mGet', {}],
      ['mDelete', { ids: ['a', 1] }],
    ];
    for (const [action, body] of wrong) {
      expect(await partly(action, body)).toMatchObject({ status: 400, result: undefined });
    }
    expect(await run('document.count', AT)).toEqual({ count: 2 });
  });

  it('answers 404 where the collection is absent and would not be created', async () => {
    const { refusal } = openTestStorage();
    const body = { ids: ['a'], documents: [{ _id: 'a', body: {} }] };
    for (const action of ['mGet', 'mDelete', 'mReplace', 'mUpdate']) {
      expect(await refusal(`document.${action}`, { ...AT, body })).toMatchObject({ id: 'storage.index_not_found' });
    }
  });
});
