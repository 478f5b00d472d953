import { silentLogger, type JsonObject, type Logger } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, fresh, startSecured, type SecuredServer } from '../security/securedServer.js';

describe('roles that name what the server does not know (decisions.md section 7)', () => {
  let server: SecuredServer;
  const logged: JsonObject[] = [];
  beforeAll(async () => {
    const warn = (fields: JsonObject) => void logged.push(fields);
    const log = { ...silentLogger, warn, child: () => log } as unknown as Logger;
    server = await startSecured({}, { logger: log });
  });
  afterAll(() => server.close());

  const TREE = (controllers: JsonObject) => ({ indexes: { '*': { collections: { '*': { controllers } } } } }); // prettier-ignore
  const WRONG = { documnt: { actions: { get: true } }, document: { actions: { gte: true, get: true } }, '*': { actions: { serach: true, '*': true } }, plugin: { actions: { run: true } } }; // prettier-ignore
  const WARNINGS = [
    'unknown controller documnt; did you mean document?',
    'unknown action document.gte; did you mean get?',
    'unknown action *.serach; did you mean search?',
    'unknown controller plugin',
  ];

  it.each([
    ['a flat role', { controllers: WRONG }],
    ['a tree', TREE(WRONG)],
  ])('%s is stored, and the answer and the log name them', async (_, body) => {
    const id = fresh('role');
    const created = await server.result('POST', `/roles/${id}/_create`, { body });
    expect(created).toMatchObject({ _source: body, warnings: WARNINGS });
    expect(logged).toContainEqual({ roleId: id, warnings: WARNINGS });
    const replaced = await server.result('PUT', `/roles/${id}`, { body });
    expect(replaced).toMatchObject({ warnings: WARNINGS });
    const updated = await server.result('POST', `/roles/${id}`, { body });
    expect(updated).toMatchObject({ warnings: WARNINGS });
    const found = await server.result('GET', `/roles/${id}`);
    expect(found).toEqual({ _id: id, _source: body });
  });

  it('a role without such names has no warnings', async () => {
    const body = flatRole({ document: ['get', '*'], '*': ['now'], ms: ['ping'] });
    const created = await server.message({ controller: 'security', action: 'createRole', _id: fresh('role'), body: flatRole({ document: ['get', '*'], '*': ['now'] }), jwt: server.adminJwt }); // prettier-ignore
    expect(created.result).not.toHaveProperty('warnings');
    // Rights name the controller itself, not its alias.
    expect(await server.result('POST', `/roles/${fresh('role')}/_create`, { body })).toMatchObject({ warnings: ['unknown controller ms'] }); // prettier-ignore
  });
});

describe('rights of updateByQuery and upsert', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    server = await startSecured();
  });
  afterAll(() => server.close());

  const conditional = (action: string): JsonObject => ({
    controllers: {
      document: {
        actions: {
          [action]: { when: { equals: { 'document.owner': { $ref: 'user._id' } } } },
          create: true,
        },
      },
    },
  });

  it('each needs its own right', async () => {
    const index = fresh('rights');
    await server.result('PUT', `/${index}/books/1`, { body: { n: 1 } });
    const { jwt } = await server.account(flatRole({ document: ['update', 'create', 'search'] }));
    const calls: readonly [string, string, JsonObject][] = [
      ['POST', `/${index}/books/1/_upsert`, { doc: { n: 2 } }],
      ['PUT', `/${index}/books/_byQuery`, { query: { match_all: {} }, doc: { n: 2 } }],
    ];
    for (const [method, path, body] of calls) {
      expect((await server.http(method, path, { body, jwt })).status).toBe(403);
      expect((await server.http(method, path, { body, jwt: null })).status).toBe(401);
    }
    const other = await server.account(flatRole({ document: ['updateByQuery', 'upsert'] }));
    for (const [method, path, body] of calls) {
      expect((await server.http(method, path, { body, jwt: other.jwt })).status).toBe(200);
    }
    const reserved = await server.http('POST', '/%25millrace/users/x/_upsert', { body: { doc: {} } }); // prettier-ignore
    expect(reserved.status).toBe(403);
  });

  it('a condition on the document sees the stored one, and for a creation the one that would be created', async () => {
    const index = fresh('rights');
    const { jwt, id } = await server.account(conditional('upsert'));
    const upsert = (name: string, body: JsonObject) =>
      server.http('POST', `/${index}/books/${name}/_upsert`, { body, jwt });
    await server.result('PUT', `/${index}/books/foreign`, { body: { owner: 'somebody' } });
    expect((await upsert('foreign', { doc: { owner: id } })).status).toBe(403);
    expect((await upsert('new', { doc: { owner: 'somebody' } })).status).toBe(403);
    expect((await upsert('new', { doc: { n: 1 }, owner: id })).status).toBe(403);
    expect((await upsert('new', { doc: { n: 1 }, default: { owner: id } })).status).toBe(200);
    expect((await upsert('new', { doc: { n: 2 } })).status).toBe(200);
    expect((await upsert('own', { doc: { owner: id } })).status).toBe(200);
  });

  it('a condition on the document is false for updateByQuery', async () => {
    const index = fresh('rights');
    await server.result('PUT', `/${index}/books/1`, { body: { owner: 'any' } });
    const { jwt } = await server.account(conditional('updateByQuery'));
    const body = { query: { match_all: {} }, doc: { n: 1 } };
    expect((await server.http('PUT', `/${index}/books/_byQuery`, { body, jwt })).status).toBe(403);
  });

  it('silent needs the right to import', async () => {
    const index = fresh('rights');
    const { jwt } = await server.account(flatRole({ document: ['upsert'] }));
    const path = `/${index}/books/1/_upsert?silent=true`;
    expect((await server.http('POST', path, { body: { doc: {} }, jwt })).status).toBe(403);
  });
});
