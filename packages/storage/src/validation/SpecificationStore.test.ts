import { describe, expect, it } from 'vitest';
import { openTestStorage, TEST_INTERNAL_INDEX, type TestStorage } from '../openTestStorage.test.support.js';
import { SpecificationStore } from './SpecificationStore.js';

const NAME = { index: 'i', collection: 'c' };
const SPECIFICATION = {
  strict: true,
  fields: {
    name: { type: 'string', mandatory: true },
    age: { type: 'integer', defaultValue: 0 },
    address: { type: 'object' },
    'address/city': { type: 'string', defaultValue: 'Lyon' },
  },
  validators: [{ not: { equals: { name: 'nobody' } } }],
};
const REFUSED = { id: 'validation.failed', status: 400 };

async function specified(): Promise<TestStorage> {
  const storage = openTestStorage();
  await storage.run('collection.updateSpecifications', { body: { i: { c: SPECIFICATION } } });
  return storage;
}

const get = (storage: TestStorage) => storage.run('collection.getSpecifications', NAME);
const gone = (storage: TestStorage) => storage.refusal('collection.getSpecifications', NAME);

describe('specifications as resources', () => {
  it('come back as they were sent, before their index exists (VALID-42)', async () => {
    const storage = await specified();
    expect(await get(storage)).toEqual({ ...NAME, validation: SPECIFICATION });
    expect(await storage.run('index.list')).toMatchObject({ hits: [] });
  });

  it('are there again after a restart', async () => {
    const storage = await specified();
    const store = storage.container.resolve(SpecificationStore);
    await store.stop();
    expect(store.get(NAME)).toBeUndefined();
    await store.start();
    expect(store.get(NAME)?.validation).toEqual(SPECIFICATION);
    expect(store.find(NAME)?.root.isStrict).toBe(true);
  });

  it('survive truncate, and go with their collection or index (DOC-41)', async () => {
    const storage = await specified();
    await storage.run('document.create', { ...NAME, body: { name: 'x' } });
    await storage.run('collection.truncate', NAME);
    expect(await get(storage)).toMatchObject(NAME);
    await storage.run('collection.delete', NAME);
    expect(await gone(storage)).toMatchObject({ id: 'validation.no_specification', status: 404 });
    await storage.run('collection.updateSpecifications', { body: { i: { c: {} } } });
    await storage.run('index.delete', { index: 'i' });
    expect(await gone(storage)).toMatchObject({ status: 404, message: 'Not Found' });
  });

  it('are refused as a whole where one is badly formed, and all faults are listed (VALID-43)', async () => {
    const storage = openTestStorage();
    const body = {
      i: { c: SPECIFICATION, d: { strict: 1, fields: { a: { type: 'x' }, 'b/c': {} } } },
    };
    const refusal = await storage.refusal('collection.updateSpecifications', { body });
    expect(refusal).toMatchObject({ id: 'validation.invalid_specification', result: body });
    const verdict = await storage.run('collection.validateSpecifications', { body });
    const { details } = verdict as { readonly details: readonly string[] };
    expect(details.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'i.d', 'i.d.a', 'i.d.b/c', 'i.d.b/c',
    ]); // prettier-ignore
    expect(await gone(storage)).toMatchObject({ status: 404 });
  });

  it('are found by index and collection', async () => {
    const storage = await specified();
    const body = { query: { term: { collection: 'c' } }, size: 5 };
    const found = { ...NAME, validation: SPECIFICATION };
    expect(await storage.run('collection.searchSpecifications', { body })).toEqual({
      hits: [{ _id: `${NAME.index}#${NAME.collection}`, _source: found, ...found }],
      total: 1,
      size: 5,
    });
  });

  it.each([{}, { i: 5 }, { i: {} }, { i: { c: [] } }, { users: { c: {} } }])(
    'need names and objects: %j',
    async (body) => {
      const storage = openTestStorage();
      const refusal = await storage.refusal('collection.updateSpecifications', { body });
      expect(refusal.status).toBe(400);
    },
  );

  it('keep away from the internal index', async () => {
    const body = { [TEST_INTERNAL_INDEX]: { users: {} } };
    const refusal = await openTestStorage().refusal('collection.updateSpecifications', { body });
    expect(refusal).toMatchObject({ status: 403 });
  });
});

describe('specifications at work', () => {
  it('refuse a write with its first fault, and store nothing (VALID-41)', async () => {
    const storage = await specified();
    for (const body of [{}, { name: 'a', extra: 1 }, { name: 'nobody' }, { name: 'a', age: 1.5 }]) {
      expect(await storage.refusal('document.create', { ...NAME, body })).toMatchObject(REFUSED);
    }
    const refusal = await storage.refusal('document.create', { ...NAME, body: { age: 'x' } });
    expect(refusal.message).toBe('Field name: Required field is missing or null.');
    expect(refusal.details).toEqual({
      fieldScope: { children: { name: { messages: ['Required field is missing or null.'] } } },
    });
    expect(storage.engine.indexes.has('i')).toBe(false);
  });

  it('fill in defaults, in objects that are there (VALID-26)', async () => {
    const storage = await specified();
    const body = { name: 'a', address: {} };
    const created = await storage.run('document.create', { ...NAME, _id: 'x', body });
    expect(created).toMatchObject({ _source: { name: 'a', age: 0, address: { city: 'Lyon' } } });
    const update = (changes: object) => storage.run('document.update', { ...NAME, _id: 'x', body: { ...changes } });
    await update({ age: 7 });
    expect(await update({ address: { city: null } })).toMatchObject({
      _source: { age: 7, address: { city: 'Lyon' } },
    });
    expect(await update({ age: null })).toMatchObject({ _source: { age: 0 } });
    const refusal = await storage.refusal('document.update', { ...NAME, _id: 'x', body: { name: null } });
    expect(refusal).toMatchObject(REFUSED);
  });

  it('report all faults of a document and of a message, and accept anything without one (VALID-3, VALID-40)', async () => {
    const storage = await specified();
    for (const action of ['document.validate', 'realtime.validate']) {
      expect(await storage.run(action, { ...NAME, body: { age: 'x', address: { city: 1 } } })).toEqual({
        valid: false,
        errorMessages: {
          fieldScope: {
            children: {
              name: { messages: ['Required field is missing or null.'] },
              age: { messages: ['Expected an integer.'] },
              address: { children: { city: { messages: ['Expected a string.'] } } },
            },
          },
        },
      });
    }
    await storage.run('collection.deleteSpecifications', NAME);
    expect(await storage.run('document.validate', { ...NAME, body: { a: 1 } })).toEqual({
      valid: true,
      errorMessages: {},
    });
  });
});
