import { describe, expect, it } from 'vitest';
import {
  documentErrors,
  CONTENT_RULES,
  NO_DOCUMENT_METADATA,
  NO_SPECIFICATIONS,
  type ContentRules,
} from '@millrace/kernel';
import { openTestStorage } from '../openTestStorage.test.support.js';

const A = { index: 'shop', collection: 'things', _id: 'a' };

describe('document.update (DOC-13)', () => {
  it('merges and answers with the whole new source', async () => {
    const { run } = openTestStorage();
    await run('document.create', { ...A, body: { o: { x: 1 }, list: [1, 2] } });
    expect(await run('document.update', { ...A, body: { _id: 'ignored', o: { y: 2 }, list: [] } })).toEqual({
      _id: 'a',
      _version: 2,
      _source: { o: { x: 1, y: 2 }, list: [] },
    });
  });

  it('writes nothing when nothing changes', async () => {
    const { run, engine } = openTestStorage();
    await run('document.create', { ...A, body: { o: { x: 1 } } });
    engine.writeSizes.length = 0;
    for (const body of [{}, { o: {} }, { o: { x: 1 } }]) {
      expect(await run('document.update', { ...A, body })).toEqual({ _id: 'a', _version: 1, _source: { o: { x: 1 } } });
    }
    expect(engine.writeSizes).toEqual([]);
  });

  it('answers 404 for what is absent', async () => {
    const { run, refusal } = openTestStorage();
    expect(await refusal('document.update', { ...A, body: {} })).toMatchObject({ status: 404 });
    await run('collection.create', A);
    expect(await refusal('document.update', { ...A, body: {} })).toMatchObject({ id: 'document.not_found' });
  });

  it('keeps every one of 50 concurrent updates, each with one write', async () => {
    const { run, engine } = openTestStorage();
    await run('document.create', { ...A, body: {} });
    engine.writeSizes.length = 0;
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    await Promise.all(numbers.map((n) => run('document.update', { ...A, body: { [`f${n}`]: n } })));
    const { _version, _source } = (await run('document.get', A)) as { _version: number; _source: object };
    expect(_version).toBe(51);
    expect(Object.keys(_source)).toHaveLength(50);
    expect(engine.writeSizes).toHaveLength(50);
  });

  it('tries again when another writer was faster', async () => {
    const { run, engine } = openTestStorage();
    await run('document.create', { ...A, body: { n: 0 } });
    let races = 3;
    engine.beforeWrite = () => {
      const documents = engine.indexes.get('shop')?.collections.get('things')?.documents;
      const version = (documents?.get('a')?.version ?? 0) + 1;
      if (races-- > 0) documents?.set('a', { id: 'a', version, source: { n: version }, meta: NO_DOCUMENT_METADATA });
    };
    expect(await run('document.update', { ...A, body: { m: 1 } })).toEqual({
      _id: 'a',
      _version: 5,
      _source: { n: 4, m: 1 },
    });
  });

  it('does not try again where ifVersion was given', async () => {
    const { run, refusal, engine } = openTestStorage();
    await run('document.create', { ...A, body: { n: 0 } });
    expect(await refusal('document.update', { ...A, ifVersion: 2, body: { n: 1 } })).toMatchObject({ status: 409 });
    engine.beforeWrite = () => {
      engine.beforeWrite = () => undefined;
      engine.indexes
        .get('shop')
        ?.collections.get('things')
        ?.documents.set('a', { id: 'a', version: 9, source: {}, meta: NO_DOCUMENT_METADATA });
    };
    expect(await refusal('document.update', { ...A, ifVersion: 1, body: { n: 1 } })).toMatchObject({
      id: 'document.version_conflict',
    });
  });

  it('asks the rules for content once per write, with the merged document', async () => {
    const seen: unknown[] = [];
    const rules: ContentRules = {
      ...NO_SPECIFICATIONS,
      admit: ({ source, changes }) => {
        seen.push([source, changes]);
        if (source.bad === true) throw documentErrors.invalid_value({ reason: 'bad' });
        return { ...source, stamp: 1 };
      },
    };
    const { run, refusal } = openTestStorage({}, (container) => container.registerInstance(CONTENT_RULES, rules));
    await run('document.create', { ...A, body: { a: 1 } });
    expect(await run('document.update', { ...A, body: { b: 2 } })).toMatchObject({
      _version: 2,
      _source: { a: 1, b: 2, stamp: 1 },
    });
    expect(await run('document.update', { ...A, body: { b: 2 } })).toMatchObject({ _version: 2 });
    expect(await refusal('document.update', { ...A, body: { bad: true } })).toMatchObject({ status: 400 });
    expect(seen.slice(0, 2)).toEqual([
      [{ a: 1 }, undefined],
      [{ a: 1, stamp: 1, b: 2 }, { b: 2 }],
    ]);
  });
});
