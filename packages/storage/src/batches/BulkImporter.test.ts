import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRequest,
  documentErrors,
  type JsonText,
  storageErrors,
  type JsonObject,
  CONTENT_RULES,
  NO_DOCUMENT_METADATA,
  NO_SPECIFICATIONS,
} from '@millrace/kernel';
import { openTestStorage, TEST_INTERNAL_INDEX } from '../openTestStorage.test.support.js';

const CONNECTION = { id: '1', protocol: 'test', remoteAddress: '' };
const AT = { index: 'shop', collection: 'things' };
type Hit = Record<string, { _id: string; status: number; _version?: number }>;
const hitsOf = (answer: unknown) => (answer as { hits: Hit[] }).hits;
const statuses = (answer: unknown) => hitsOf(answer).map((hit) => Object.values(hit)[0]?.status);

describe('bulk.import (DOC-31, DOC-32)', () => {
  it('answers one item per action, in order', async () => {
    const { run, engine } = openTestStorage();
    await run('document.create', { ...AT, _id: 'old', body: { o: { x: 1 } } });
    engine.writeSizes.length = 0;
    const bulkData = [
      { create: { _id: 1 } }, { n: 1 },
      { index: { _id: 'old' } }, { o: { x: 1 } },
      { create: {} }, { _id: 'own', n: 2 },
      { index: { _id: null } }, { n: 3 },
      { delete: { _id: '1' } },
    ]; // prettier-ignore
    const hits = hitsOf(await run('bulk.import', { ...AT, body: { bulkData } }));
    const common = { _index: 'shop', _type: 'things' };
    expect(hits).toEqual([
      { create: { _id: '1', ...common, _version: 1, status: 201 } },
      { index: { _id: 'old', ...common, _version: 2, status: 200 } },
      { create: { _id: 'own', ...common, _version: 1, status: 201 } },
      { index: { _id: expect.stringMatching(/^[\w-]{20}$/) as unknown, ...common, _version: 1, status: 201 } },
      { delete: { _id: '1', ...common, _version: 1, status: 200 } },
    ]); // prettier-ignore
    expect(await run('document.get', { ...AT, _id: 'own' })).toMatchObject({ _source: { n: 2 } });
    expect(engine.writeSizes).toEqual([5]);
  });

  it('applies updates after the earlier lines of the same call', async () => {
    const { run } = openTestStorage();
    const bulkData = [
      { create: { _id: 'a' } }, { n: 1 },
      { update: { _id: 'a' } }, { doc: { m: 2 } },
      { update: { _id: 'a' } }, { doc: { k: 3 } },
      { update: { _id: 'a' } }, { doc: { k: 3 } },
      { index: { _id: 'b' } }, {},
      { delete: { _id: 'b' } },
    ]; // prettier-ignore
    const answer = await run('bulk.import', { ...AT, body: { bulkData } });
    expect(hitsOf(answer).map((hit) => Object.values(hit)[0]?._version)).toEqual([1, 2, 3, 3, 1, 1]);
    expect(await run('document.get', { ...AT, _id: 'a' })).toMatchObject({
      _version: 3,
      _source: { n: 1, m: 2, k: 3 },
    });
    expect(await run('document.mGet', { ...AT, body: { ids: ['a'] } })).toMatchObject({
      errors: [],
    });
  });

  it('takes index and collection from each line on the global route', async () => {
    const { run, refusal } = openTestStorage();
    const line = (_index: string, _type: string) => ({ create: { _index, _type, _id: 'a' } });
    const bulkData = [line('one', 'c1'), { n: 1 }, line('two', 'c2'), { n: 2 }, line('roles', 'c'), {}];
    const { result } = await refusal('bulk.import', { body: { bulkData } });
    expect(statuses(result)).toEqual([201, 201, 400]);
    expect(await run('document.get', { index: 'two', collection: 'c2', _id: 'a' })).toMatchObject({
      _source: { n: 2 },
    });
    expect(await run('index.list')).toMatchObject({ hits: ['one', 'two'] });
  });

  it('fails single items with 206: every item in the result, the failed ones in details', async () => {
    const { run, refusal } = openTestStorage();
    await run('document.create', { ...AT, _id: 'a', body: { n: 0 } });
    const bulkData = [
      { create: { _id: 'a' } }, { n: 1 },
      { create: { _id: 'b' } }, { n: 2 },
      { update: { _id: 'zz' } }, { doc: { n: 1 } },
      { delete: { _id: 'yy' } },
      { create: { _id: 'c' } }, { _bad: 1 },
      { create: { _id: 'x\n' } }, {},
      { create: {} }, { _id: 7 },
    ]; // prettier-ignore
    const { id, status, message, result, details } = await refusal('bulk.import', { ...AT, body: { bulkData } });
    expect([id, status, message]).toEqual(['document.partial_failure', 206, '6 of 7 items failed']);
    expect(statuses(result)).toEqual([409, 201, 404, 404, 400, 400, 400]);
    expect(details).toEqual(hitsOf(result).filter((_, i) => i !== 1));
    expect(hitsOf(result)[0]).toEqual({
      create: {
        _id: 'a',
        _index: 'shop',
        _type: 'things',
        status: 409,
        error: {
          id: 'document.already_exists',
          status: 409,
          message: expect.any(String) as unknown,
        },
      },
    });
  });

  it('answers 404 for updates and deletions where the collection or its index is absent', async () => {
    const { run, refusal } = openTestStorage();
    const bulkData = [{ update: { _id: 'a' } }, { doc: {} }, { delete: { _id: 'a' } }];
    const { result } = await refusal('bulk.import', { ...AT, body: { bulkData } });
    expect(statuses(result)).toEqual([404, 404]);
    expect(await run('index.exists', AT)).toBe(false);
  });

  const good = [{ create: { _id: 'a' } }, { n: 1 }];
  it.each<[string, unknown[], RegExp]>([
    ['a line that is no object', [...good, 7], /line 3/],
    ['null', [...good, null], /line 3/],
    ['no action', [...good, {}, {}], /line 3/],
    ['an unknown action', [...good, { upsert: {} }, {}], /line 3.*"upsert"/],
    ['an inherited name for an action', [...good, { constructor: {} }, {}], /line 3/],
    ['two actions', [...good, { create: {}, index: {} }, {}], /line 3/],
    ['an unknown key', [...good, { create: { _routing: 1 } }, {}], /line 3.*"_routing"/],
    ['no object under the action', [...good, { create: 'a' }, {}], /line 3/],
    ['a missing document line', [...good, { create: {} }], /line 4/],
    ['a document that is no object', [...good, { create: {} }, 'x'], /line 4/],
    ['an update without doc', [...good, { update: { _id: 'a' } }, { n: 1 }], /line 4/],
    ['an update whose doc is a list', [...good, { update: { _id: 'a' } }, { doc: [] }], /line 4/],
    ['an update with more than doc', [...good, { update: { _id: 'a' } }, { doc: {}, upsert: {} }], /line 4/],
    ['an update without id', [...good, { update: {} }, { doc: {} }], /line 3/],
    ['a delete without id', [...good, { delete: { _id: null } }], /line 3/],
    ['an id that is an object', [...good, { create: { _id: {} } }, {}], /line 3/],
    ['another index than the path', [...good, { create: { _index: 'other' } }, {}], /line 3/],
    ['another collection than the path', [...good, { create: { _type: 'other' } }, {}], /line 3/],
    ['an index that is no text', [...good, { create: { _index: 5 } }, {}], /line 3/],
  ])('refuses the whole call for %s, naming the line', async (_, bulkData, message) => {
    const { run, refusal } = openTestStorage();
    const refused = await refusal('bulk.import', { ...AT, body: { bulkData } });
    expect(refused).toMatchObject({ status: 400, message: expect.stringMatching(message) as unknown });
    expect(await run('index.exists', AT)).toBe(false);
  });

  it.each([undefined, 'text', 5, {}, []])('refuses bulkData %j', async (bulkData) => {
    const { refusal } = openTestStorage();
    expect(await refusal('bulk.import', { ...AT, body: { bulkData } })).toMatchObject({ status: 400 });
  });

  it('refuses lines without target on the global route', async () => {
    const { refusal } = openTestStorage();
    for (const target of [{ _type: 'c' }, { _index: 'a' }, {}]) {
      const bulkData = [{ create: { ...target, _id: 'a' } }, {}];
      expect(await refusal('bulk.import', { body: { bulkData } })).toMatchObject({ status: 400 });
    }
  });

  it('refuses the whole call for the internal index, with 403', async () => {
    const { run, refusal } = openTestStorage();
    const bulkData = [
      { create: { _index: 'shop', _type: 'c', _id: 'a' } },
      {},
      { delete: { _index: TEST_INTERNAL_INDEX, _type: 'users', _id: 'a' } },
    ];
    for (const path of [{}, { index: 'shop', collection: 'c' }]) {
      expect(await refusal('bulk.import', { ...path, body: { bulkData } })).toMatchObject({
        id: 'storage.internal_index',
        status: 403,
      });
    }
    expect(await run('index.exists', AT)).toBe(false);
  });

  it('asks the rules for content for every line (VALID-30)', async () => {
    const admit = ({ source }: { readonly source: JsonObject }) => {
      if (source.n !== undefined) return { ...source, stamped: true };
      throw documentErrors.invalid_value({ reason: 'no n' });
    };
    const { run, refusal } = openTestStorage({}, (container) =>
      container.registerInstance(CONTENT_RULES, { ...NO_SPECIFICATIONS, admit }),
    );
    const bulkData = [
      { create: { _id: 'a' } }, { m: 1 },
      { create: { _id: 'b' } }, { n: 2 },
      { update: { _id: 'b' } }, { doc: { m: 1 } },
    ]; // prettier-ignore
    const { result } = await refusal('bulk.import', { ...AT, body: { bulkData } });
    expect(statuses(result)).toEqual([400, 201, 200]);
    expect(await run('document.get', { ...AT, _id: 'b' })).toMatchObject({ _source: { n: 2, m: 1, stamped: true } });
  });

  it('tries an update again that lost against another writer', async () => {
    const { run, engine } = openTestStorage();
    await run('document.create', { ...AT, _id: 'a', body: { n: 0 } });
    engine.beforeWrite = () => {
      engine.beforeWrite = () => undefined;
      engine.indexes
        .get('shop')
        ?.collections.get('things')
        ?.documents.set('a', { id: 'a', version: 8, source: { other: 1 }, meta: NO_DOCUMENT_METADATA });
    };
    const bulkData = [{ update: { _id: 'a' } }, { doc: { m: 1 } }, { index: { _id: 'a' } }, { last: 1 }];
    const answer = await run('bulk.import', { ...AT, body: { bulkData } });
    expect(hitsOf(answer)).toMatchObject([{ update: { _version: 9 } }, { index: { _version: 10 } }]);
    expect(await run('document.get', { ...AT, _id: 'a' })).toMatchObject({ _source: { last: 1 } });
  });

  it('fails what is left when the engine goes down on the way, and the call when nothing was written', async () => {
    const { refusal, engine } = openTestStorage({ writeBatchSize: 2 });
    const bulkData = Array.from({ length: 5 }, (_, n) => [{ create: { _id: `d${n}` } }, {}]).flat();
    let calls = 0;
    engine.beforeWrite = () => {
      if (++calls > 1) throw storageErrors.unavailable({ reason: 'gone' });
    };
    const { result } = await refusal('bulk.import', { ...AT, body: { bulkData } });
    expect(statuses(result)).toEqual([201, 201, 503, 503, 503]);
    expect(await refusal('bulk.import', { ...AT, body: { bulkData } })).toMatchObject({
      status: 503,
      result: undefined,
    });
  });

  it('keeps the event loop turning while it works on a large call', async () => {
    const { engine, container } = openTestStorage({ writeBatchSize: 100_000 });
    const { BulkImporter } = await import('./BulkImporter.js');
    const bulkData = Array.from({ length: 60_000 }, (_, n) => [{ index: { _id: `d${n}` } }, { n }]).flat();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const answer = await container.resolve(BulkImporter).import({
      ...AT,
      bulkData,
      refresh: false,
      origin: null,
      request: createRequest({}, CONNECTION),
    });
    isOver = true;
    expect(hitsOf((answer as JsonText).value)).toHaveLength(60_000);
    expect(engine.writeSizes).toEqual([60_000]);
    expect(turns).toBeGreaterThan(3);
  });

  it('leaves the same documents as a naive model that goes line by line', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const content = fc.dictionary(fc.constantFrom('x', 'y'), fc.integer({ min: 0, max: 2 }));
    const line = fc.record({ action: fc.constantFrom('create', 'index', 'update', 'delete'), id, content });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, writeBatchSize) => {
          const { run, engine } = openTestStorage({ writeBatchSize });
          await run('collection.create', AT);
          const model = new Map<string, { version: number; source: object }>();
          const expected = lines.map((each) => applyNaively(model, each));
          const bulkData = lines.flatMap(({ action, id: _id, content: n }): readonly object[] => {
            if (action === 'delete') return [{ delete: { _id } }];
            return [{ [action]: { _id } }, action === 'update' ? { doc: n } : n];
          });
          const answer = await run('bulk.import', { ...AT, body: { bulkData } }).catch(
            (error: { result: unknown }) => error.result,
          );
          expect(statuses(answer)).toEqual(expected);
          const stored = engine.indexes.get('shop')?.collections.get('things')?.documents;
          const found = [...(stored?.values() ?? [])].map(
            ({ id: key, version, source: kept }) => [key, { version, source: kept }] as const,
          );
          expect(new Map(found)).toEqual(model);
        },
      ),
      { numRuns: 150, seed: 11 },
    );
  });
});

interface NaiveLine {
  readonly action: string;
  readonly id: string;
  readonly content: object;
}

function applyNaively(
  model: Map<string, { version: number; source: object }>,
  { action, id, content }: NaiveLine,
): number {
  const old = model.get(id);
  if (action === 'create' && old !== undefined) return 409;
  if ((action === 'update' || action === 'delete') && old === undefined) return 404;
  if (action === 'delete') model.delete(id);
  else {
    const source = action === 'update' ? { ...old?.source, ...content } : content;
    const isSame = JSON.stringify(sorted(source)) === JSON.stringify(sorted(old?.source ?? {}));
    if (action === 'update' && isSame) return 200;
    model.set(id, { version: (old?.version ?? 0) + 1, source });
  }
  return action === 'delete' || old !== undefined ? 200 : 201;
}

function sorted(source: object): object {
  return Object.fromEntries(Object.entries(source).sort(([a], [b]) => (a < b ? -1 : 1)));
}
