import type { JsonObject } from '@millrace/kernel';
import type { TestKernel } from '@millrace/testing';
import { expect } from 'vitest';

/** Of all users. */
export const PASSWORD = 'a password of some length';

const OPERATOR = { _id: 'operator', profileIds: ['admin'] };

/** Logs in over HTTP. */
export async function login(server: TestKernel, username: string, password: string) {
  const { body, status } = await server.ask('POST', '/_login', { username, password });
  return { status, jwt: ((body?.['result'] ?? {}) as { jwt?: string }).jwt ?? '' };
}

/**
 * Fills a server with 1,203 documents, mappings, a specification, and the users `chief` and `anna`, who may read her
 * documents.
 * @returns a token of the administrator
 */
export async function fillServer(server: TestKernel): Promise<string> {
  const call = async (controller: string, action: string, fields: JsonObject) => {
    const message = { controller, action, ...fields };
    const { error, result } = await server.kernel.execute(message, { user: OPERATOR });
    expect(error).toBeNull();
    return result;
  };
  const books = { index: 'library', collection: 'books' };
  const properties = {
    title: { type: 'text', fields: { raw: { type: 'keyword' } } },
    owner: { type: 'keyword' },
    year: { type: 'integer' },
    place: { type: 'geo_point' },
  };
  await call('collection', 'create', { ...books, body: { properties } });
  const bulkData = Array.from({ length: 1_200 }, (_, i) => [
    { index: { _id: `b${i}` } },
    {
      title: `Book ${i} ü`,
      owner: i % 2 === 0 ? 'anna' : 'ben',
      year: i,
      place: { lat: 1, lon: i % 90 },
    },
  ]).flat();
  await call('bulk', 'import', { ...books, body: { bulkData } });
  const small = { index: 'library', collection: 'Shelves-2' };
  for (const id of ['a', 'b/ü', 'c'])
    await call('document', 'create', {
      ...small,
      _id: id,
      body: { id, list: [1, 2], deep: { none: null } },
    });
  await call('index', 'create', { index: 'empty' });
  const specification = {
    library: { books: { strict: false, fields: { year: { type: 'integer' } } } },
  };
  await call('collection', 'updateSpecifications', { body: specification });

  await call('security', 'createFirstAdmin', { _id: 'chief', body: { password: PASSWORD } });
  const documents = { term: { owner: { $ref: 'user._id' } } };
  const actions = { search: true, scroll: true };
  await call('security', 'createRole', {
    _id: 'reader',
    body: { controllers: { document: { actions, documents } } },
  });
  const restrictedTo = [{ index: 'library', collections: ['books'] }];
  await call('security', 'createProfile', {
    _id: 'readers',
    body: { policies: [{ roleId: 'reader', restrictedTo }] },
  });
  const anna = { profileIds: ['readers'], password: PASSWORD, team: 'blue' };
  await call('security', 'createUser', { _id: 'anna', body: anna });
  const { jwt } = await login(server, 'chief', PASSWORD);
  return jwt;
}

/** What clients see of a server: documents, mappings, specifications, accounts. */
export async function readServer(server: TestKernel): Promise<JsonObject> {
  const call = async (controller: string, action: string, fields: JsonObject = {}) => {
    const { error, result } = await server.kernel.execute({ controller, action, ...fields }, { user: OPERATOR });
    expect(error).toBeNull();
    return result as JsonObject;
  };
  const at = (collection: string) => ({ index: 'library', collection });
  const documents = async (collection: string) => {
    await call('index', 'refresh', { index: 'library' });
    const body = { sort: ['_id'], query: { match_all: {} } };
    const { hits } = await call('document', 'search', { ...at(collection), size: 2_000, body });
    return (hits as unknown as { _id: string; _source: JsonObject }[]).map(({ _id, _source }) => ({
      _id,
      _source,
    }));
  };
  const list = async (action: string) => {
    const { hits } = await call('security', action, { size: 100 });
    const all = hits as unknown as { _id: string; _source: JsonObject }[];
    return Object.fromEntries(all.map(({ _id, _source }) => [_id, _source]));
  };
  return {
    indexes: (await call('index', 'list'))['indexes'] ?? null,
    books: await documents('books'),
    shelves: await documents('Shelves-2'),
    mapping: await call('collection', 'getMapping', at('books')),
    dynamicMapping: await call('collection', 'getMapping', at('Shelves-2')),
    specification: await call('collection', 'getSpecifications', at('books')),
    users: await list('searchUsers'),
    profiles: await list('searchProfiles'),
    roles: await list('searchRoles'),
  };
}
