/* Values of the user in rights on documents (SEC-81): users choose their `_id`, and text fields consist of words. */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryProtocol } from '../realtime/MemoryProtocol.js';
import { fresh, startSecured, type SecuredServer } from './securedServer.js';

const USER = { $ref: 'user._id' };
const WAIT = { timeout: 60_000, interval: 20 };
/** Two addresses, and users whose names are words of them. */
const [ADA, BOB] = ['ada@example.com', 'bob@example.com'];

const protocol = new MemoryProtocol();
let server: SecuredServer;

beforeAll(async () => {
  server = await startSecured({}, { plugins: [protocol.plugin] });
  await server.result('PUT', '/app');
  // Without a mapping `owner` is a text field with a keyword.
  await server.result('PUT', '/app/notes/1', { body: { owner: ADA } });
  await server.result('PUT', '/app/notes/2', { body: { owner: BOB } });
  const body = { properties: { owner: { type: 'text' } } };
  await server.result('PUT', '/app/words', { body });
  await server.result('PUT', '/app/words/1', { body: { owner: ADA } });
});
afterAll(() => server.close());

/** A new role and profile with a right to all actions on documents. */
async function profileWith(documents: JsonObject): Promise<string> {
  const id = fresh('p');
  const role = {
    controllers: {
      document: { documents, actions: { get: true, search: true, create: true } },
      realtime: { actions: { subscribe: true } },
    },
  };
  await server.result('PUT', `/roles/${id}`, { body: role });
  await server.result('PUT', `/profiles/${id}`, { body: { policies: [{ roleId: id }] } });
  return id;
}

async function userWith(id: string, documents: JsonObject): Promise<string> {
  const profileIds = [await profileWith(documents)];
  const password = 'a long one';
  await server.result('PUT', `/users/${id}`, { body: { profileIds, password } });
  return server.token(id, password);
}

async function found(jwt: string, collection = 'notes'): Promise<readonly unknown[]> {
  const { hits } = await server.result('POST', `/app/${collection}/_search`, { jwt, body: {} });
  return (hits as readonly JsonObject[]).map(({ _id }) => _id);
}

describe('a value of the user in a right on documents', () => {
  it.each<[string, JsonObject]>([
    ['term', { term: { owner: USER } }],
    ['terms', { terms: { owner: USER } }],
    ['bool', { bool: { should: [{ term: { owner: USER } }, { ids: { values: ['none'] } }] } }],
  ])('SEC-81: is compared with the whole value of a text field by %s', async (_, documents) => {
    const stranger = await userWith('example.com', documents);
    expect(await found(stranger)).toEqual([]);
    expect((await server.http('GET', '/app/notes/1', { jwt: stranger })).status).toBe(404);
    const ada = await userWith(ADA, documents);
    expect(await found(ada)).toEqual(['1']);
    expect((await server.http('GET', '/app/notes/1', { jwt: ada })).status).toBe(200);
    expect((await server.http('GET', '/app/notes/2', { jwt: ada })).status).toBe(404);
  });

  it('SEC-81: covers nothing of a text field without a keyword', async () => {
    const jwt = await userWith('ada', { term: { owner: USER } });
    expect(await found(jwt, 'words')).toEqual([]);
    const not = { bool: { must_not: { term: { owner: USER } } } };
    const other = await userWith('carl', not);
    expect(await found(other, 'words')).toEqual([]);
    expect(await found(other)).toEqual(['1', '2']);
  });

  it('SEC-81: is compared with whole values by subscriptions and writes', async () => {
    const own = { term: { owner: USER } };
    const stranger = await userWith('example.com', own);
    const ada = await userWith(ADA, own);
    const at = { index: 'app', collection: 'notes' };
    const listen = async (jwt: string) => {
      const client = protocol.connect();
      const fields = { controller: 'realtime', action: 'subscribe', ...at, body: {}, jwt };
      expect((await client.request(fields)).status).toBe(200);
      return () => client.received.map(({ message }) => message.result._id);
    };
    const heard = [await listen(stranger), await listen(ada)];
    const post = (jwt: string, id: string, owner: string) =>
      server.http('POST', `/app/notes/${id}/_create`, { jwt, body: { owner } });
    expect((await post(stranger, 'forged', ADA)).error.id).toBe('security.document_refused');
    expect((await post(ada, '3', ADA)).status).toBe(200);
    expect((await post(stranger, '4', 'example.com')).status).toBe(200);
    const ids = () => heard.map((received) => received());
    await vi.waitFor(() => expect(ids()).toEqual([['4'], ['3']]), WAIT);
  });

  it('SEC-81: is compared by identity, whatever the type of the field makes of it', async () => {
    const owners = {
      ip: { properties: { owner: { type: 'ip' } } },
      long: { properties: { owner: { type: 'long' } } },
      date: { properties: { owner: { type: 'date' } } },
      lower: { properties: { owner: { type: 'keyword', normalizer: 'lowercase' } } },
      absent: { properties: { owner: { type: 'keyword', null_value: 'nobody' } } },
      exact: { properties: { owner: { type: 'keyword' } } },
    };
    const stored = { ip: '10.0.0.1', long: 1000, date: '2024-05-05', lower: ADA, absent: null, exact: ADA };
    for (const [name, mapping] of Object.entries(owners)) {
      await server.result('PUT', `/app/${name}`, { body: mapping });
      const body = { owner: stored[name as keyof typeof stored] };
      await server.result('PUT', `/app/${name}/1`, { body });
    }
    const chosen = {
      ip: '0.0.0.0-0',
      long: '1e3',
      date: '2024',
      lower: 'ADA@example.com',
      absent: 'nobody',
      exact: 'ADA@example.com',
    };
    for (const kind of ['term', 'terms']) {
      for (const [name, id] of Object.entries({ ...chosen, number: '1000' })) {
        const collection = name === 'number' ? 'long' : name;
        const jwt = await userWith(id, { [kind]: { owner: USER } });
        expect([name, await found(jwt, collection)]).toEqual([name, []]);
        const { status } = await server.http('GET', `/app/${collection}/1`, { jwt });
        expect([name, status]).toEqual([name, 404]);
      }
    }
    const ada = await userWith(ADA, { term: { owner: USER } });
    expect(await found(ada, 'exact')).toEqual(['1']);
  });

  it('SEC-81: is refused for fields of a collection that the role names, if they keep no whole values', async () => {
    const mapping = {
      properties: {
        address: { type: 'ip' },
        word: { type: 'text' },
        name: { type: 'keyword', normalizer: 'lowercase' },
        exact: { type: 'keyword' },
        items: { type: 'nested', properties: { owner: { type: 'text' } } },
      },
    };
    await server.result('PUT', '/app/typed', { body: mapping });
    const write = async (collection: string, rule: JsonObject, action = 'get') => {
      const controllers = { document: { actions: { [action]: rule } } };
      const body = { indexes: { app: { collections: { [collection]: { controllers } } } } };
      const { status, error } = await server.http('PUT', `/roles/${fresh('r')}`, { body });
      return status === 200 ? [200] : [error.id, error.message];
    };
    const term = (field: string) => ({ documents: { term: { [field]: USER } } });
    const refused = (message: string) => ['security.invalid_role', expect.stringContaining(message) as unknown];
    const unequal = "doesn't compare stored values";
    expect(await write('typed', term('address'))).toEqual(refused(unequal));
    expect(await write('typed', term('name'))).toEqual(refused(unequal));
    expect(await write('typed', term('word'))).toEqual(refused('"word" at'));
    const nested = { nested: { path: 'items', query: { terms: { 'items.owner': USER } } } };
    expect(await write('typed', { documents: nested })).toEqual(refused('"items.owner" at'));
    const check = { documents: { match_all: {} }, check: { term: { address: USER } } };
    expect(await write('typed', check, 'update')).toEqual(refused('.check.'));
    for (const [collection, field] of [
      ['typed', 'exact'],
      ['typed', 'unknown'],
      ['absent', 'word'],
      ['*', 'word'],
      ['notes', 'owner'],
    ] as const)
      expect([field, ...(await write(collection, term(field)))]).toEqual([field, 200]);
    expect(await write('typed', { documents: { term: { address: '10.0.0.1' } } })).toEqual([200]);
  });

  it('SEC-81: is refused in queries that split it into words', async () => {
    for (const documents of [
      { match: { owner: USER } },
      { and: [{ match_phrase: { owner: { query: USER } } }] },
      { nested: { path: 'a', query: { match_bool_prefix: { 'a.owner': USER } } } },
      { bool: { must_not: [{ multi_match: { query: USER, fields: ['owner'] } }] } },
    ]) {
      const role = { controllers: { document: { documents, actions: { get: true } } } };
      const { error } = await server.http('PUT', `/roles/${fresh('r')}`, { body: role });
      expect([error.id, error.message]).toEqual([
        'security.invalid_role',
        expect.stringContaining("a value of the user can't be split into words"),
      ]);
    }
  });
});
