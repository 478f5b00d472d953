/* Why a user may do something (SEC-88). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { documentRole, INDEX, MAPPING, NOTES, OWN, put } from './notes.js';

const AT = { index: INDEX, collection: 'notes' };
const READ = { controller: 'document', action: 'get', ...AT };

describe('security.explainRights', () => {
  let server: SecuredServer;
  const explain = (id: string, body: JsonObject) =>
    server.result('POST', `/users/${id}/_explain`, { body });

  beforeAll(async () => {
    server = await startSecured();
    await server.result('PUT', NOTES, { body: MAPPING });
  });
  afterAll(() => server.close());

  it('SEC-88: tells the documents and fields of a right, and the entry that gives it', async () => {
    const fields = { except: ['salary'] };
    const account = await server.account(documentRole({ get: { documents: OWN, fields } }));
    const { id, profileId: profile, roleId: role } = account;
    expect(await explain(id, READ)).toEqual({
      allowed: true,
      documents: { term: { owner: id } },
      fields,
      decidedBy: [{ profile, role, path: 'controllers.document.actions.get' }],
    });
    await put(server, { mine: { owner: id }, theirs: { owner: 'x' } });
    expect(await explain(id, { ...READ, _id: 'mine' })).toMatchObject({ allowed: true });
    expect(await explain(id, { ...READ, _id: 'theirs' })).toEqual({
      allowed: false,
      decidedBy: [{ profile, role, path: 'controllers.document.actions.get' }],
    });
  });

  it('SEC-88: names the policies that decide, and none where no entry does', async () => {
    const account = await server.account(documentRole({ get: { documents: OWN } }));
    const { id, profileId: profile, roleId: role } = account;
    const other = `${role}-tree`;
    const actions = { get: { fields: { only: ['title'] } }, delete: false };
    const body = { indexes: { [INDEX]: { collections: { '*': { controllers: { document: { actions } } } } } } };
    await server.result('PUT', `/roles/${other}`, { body });
    const policies = [{ roleId: role }, { roleId: other }];
    await server.result('PUT', `/profiles/${profile}`, { body: { policies } });
    const path = `indexes.${INDEX}.collections.*.controllers.document.actions`;
    const both = [
      { profile, role, path: 'controllers.document.actions.get' },
      { profile, role: other, path: `${path}.get` },
    ];
    // One of them covers every document, the other shows every field.
    expect(await explain(id, READ)).toEqual({ allowed: true, decidedBy: both });
    const denied = await explain(id, { ...READ, action: 'delete' });
    expect(denied).toEqual({ allowed: false, decidedBy: [{ profile, role: other, path: `${path}.delete` }] });
    const unknown = await explain(id, { controller: 'server', action: 'metrics' });
    expect(unknown).toEqual({ allowed: false, decidedBy: [] });
  }); // prettier-ignore

  it('SEC-88: judges conditions for the document, and a missing property covers nothing', async () => {
    const when = { equals: { 'document.owner': { $ref: 'user._id' } } };
    const search = { documents: { term: { tag: { $ref: 'user.profileIds' } } } };
    const { id } = await server.account(documentRole({ update: { when }, search }));
    await put(server, { own: { owner: id }, other: { owner: 'x' } });
    const update = { ...READ, action: 'update' };
    const allowed = async (body: JsonObject) => (await explain(id, body)).allowed;
    expect(await allowed({ ...update, _id: 'own' })).toBe(true);
    expect(await allowed({ ...update, _id: 'other' })).toBe(false);
    expect(await explain(id, { ...READ, action: 'search' })).toMatchObject({ documents: { match_none: {} } });
  }); // prettier-ignore

  it('SEC-88: is for administrators, about users that exist', async () => {
    const { id, jwt } = await server.account(flatRole({ '*': ['*'] }));
    const path = `/users/${id}/_explain`;
    expect((await server.http('POST', path, { jwt, body: READ })).status).toBe(403);
    expect((await server.http('POST', '/users/nobody/_explain', { body: READ })).status).toBe(404);
    const wrong = await server.http('POST', path, { body: { controller: 'document' } });
    expect(wrong).toMatchObject({ status: 400, error: { id: 'api.missing_argument' } });
    const message = { controller: 'security', action: 'explainRights', _id: id, body: READ };
    const reply = await server.message({ ...message, jwt: server.adminJwt });
    expect(reply.result.allowed).toBe(true);
    expect(await explain('-1', { controller: 'auth', action: 'login' })).toMatchObject({ allowed: true });
  }); // prettier-ignore
});
