/* Why a user may do something (SEC-88). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { documentRole, INDEX, MAPPING, NOTES, OWN, put } from './notes.js';

const AT = { index: INDEX, collection: 'notes' };
const READ = { controller: 'document', action: 'get', ...AT };

describe('security.explainRights', () => {
  let server: SecuredServer;
  const explain = (id: string, body: JsonObject) => server.result('POST', `/users/${id}/_explain`, { body });

  beforeAll(async () => {
    server = await startSecured();
    await server.result('PUT', NOTES, { body: MAPPING });
  });
  afterAll(() => server.close());

  it('SEC-88: tells the documents and fields of a right, and the entry that gives it', async () => {
    const fields = { except: ['salary'] };
    const account = await server.account(documentRole({ get: { documents: OWN, fields } }));
    const { id, profileId: profile, roleId: role } = account;
    const own = `the documents that match {"term":{"owner":"${id}"}}`;
    const path = 'controllers.document.actions.get';
    expect(await explain(id, READ)).toEqual({
      allowed: true,
      reason: `granted by role "${role}"`,
      documents: { term: { owner: id } },
      fields,
      decidedBy: [{ profile, role, path, reason: `allows it for ${own}, for the fields {"except":["salary"]}` }],
    });
    await put(server, { mine: { owner: id }, theirs: { owner: 'x' } });
    expect(await explain(id, { ...READ, _id: 'mine' })).toMatchObject({ allowed: true });
    expect(await explain(id, { ...READ, _id: 'theirs' })).toEqual({
      allowed: false,
      reason: `no policy allows it; see role "${role}"`,
      decidedBy: [{ profile, role, path, reason: `allows it for ${own} only` }],
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
      {
        profile,
        role,
        path: 'controllers.document.actions.get',
        reason: `allows it for the documents that match {"term":{"owner":"${id}"}}`,
      },
      {
        profile,
        role: other,
        path: `${path}.get`,
        reason: 'allows it for every document, for the fields {"only":["title"]}',
      },
    ];
    // One of them covers every document, the other shows every field.
    const allowed = { allowed: true, reason: `granted by role "${role}", "${other}"` };
    expect(await explain(id, READ)).toEqual({ ...allowed, decidedBy: both });
    const denied = await explain(id, { ...READ, action: 'delete' });
    expect(denied).toEqual({
      allowed: false,
      reason: `no policy allows it; see role "${other}"`,
      decidedBy: [{ profile, role: other, path: `${path}.delete`, reason: 'denies it' }],
    });
    const unknown = await explain(id, { controller: 'server', action: 'metrics' });
    const reason = 'no role of the user has an entry for server.metrics';
    expect(unknown).toEqual({ allowed: false, reason, decidedBy: [] });
  });

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
  });

  it('SEC-88: says which policies are restricted, and which conditions do not hold', async () => {
    const when = { equals: { 'document.owner': { $ref: 'user._id' } } };
    const { id, profileId, roleId } = await server.account(documentRole({ get: true, update: { when } }));
    const restrictedTo = [{ index: 'elsewhere' }];
    await server.result('PUT', `/profiles/${profileId}`, { body: { policies: [{ roleId, restrictedTo }] } });
    const reasonOf = async (body: JsonObject) =>
      ((await explain(id, body)).decidedBy as readonly JsonObject[])[0]?.reason;
    expect(await reasonOf(READ)).toBe('would allow it, but is restricted to other indexes or collections');
    expect(await reasonOf({ ...READ, index: 'elsewhere' })).toBe('allows it');
    const update = { ...READ, action: 'update', index: 'elsewhere' };
    expect(await reasonOf(update)).toContain('its condition does not hold; with the _id of a document');
    const anonymous = await explain('-1', READ);
    expect(anonymous).toMatchObject({ allowed: false, reason: expect.stringMatching(/^no /) as string });
    const login = await explain('-1', { controller: 'auth', action: 'login' });
    expect(login).toMatchObject({ allowed: true, reason: 'granted by role "anonymous"' });
  });

  describe('for an API key', () => {
    const keyFor = async (userId: string, body: JsonObject): Promise<string> =>
      (await server.result('POST', `/users/${userId}/api-keys/_create`, { body: { name: 'k', ...body } }))
        ._id as string;

    it('SEC-88: tells what the owner and the policies of the key allow', async () => {
      const owner = await server.account(documentRole({ get: { documents: OWN }, search: true }));
      const { id, profileId: profile, roleId: role } = owner;
      const open = { term: { tag: 'open' } };
      const limits = await server.account(documentRole({ get: { documents: open }, delete: true }));
      const own = { term: { owner: id } };
      const apiKey = await keyFor(id, { policies: [{ roleId: limits.roleId }] });
      const path = 'controllers.document.actions.get';
      const ofOwner = { profile, role, path, reason: `allows it for the documents that match ${JSON.stringify(own)}` };
      const ofKey = {
        apiKey,
        role: limits.roleId,
        path,
        reason: `allows it for the documents that match ${JSON.stringify(open)}`,
      };
      expect(await explain(id, { ...READ, apiKeyId: apiKey })).toEqual({
        allowed: true,
        reason: `granted by role "${role}", and within the policies of the API key`,
        documents: { bool: { filter: [own, open] } },
        decidedBy: [ofOwner, ofKey],
      });
      await put(server, {
        closed: { owner: id },
        opened: { owner: id, tag: 'open' },
        foreign: { owner: 'x', tag: 'open' },
      });
      const of = (body: JsonObject) => explain(id, { ...READ, apiKeyId: apiKey, ...body });
      expect(await of({ _id: 'opened' })).toMatchObject({ allowed: true });
      expect(await of({ _id: 'closed' })).toEqual({
        allowed: false,
        reason: `no policy of the API key allows it; see role "${limits.roleId}"`,
        decidedBy: [{ ...ofKey, reason: `${ofKey.reason} only` }],
      });
      expect(await of({ _id: 'foreign' })).toEqual({
        allowed: false,
        reason: `its owner may not: no policy allows it; see role "${role}"`,
        decidedBy: [{ ...ofOwner, reason: `${ofOwner.reason} only` }],
      });
      // Rights of the key that its owner lacks, and those of the owner that the key lacks.
      expect(await of({ action: 'delete' })).toMatchObject({
        allowed: false,
        reason: expect.stringMatching(/^its owner may not: /) as string,
      });
      expect(await of({ action: 'search' })).toEqual({
        allowed: false,
        reason: 'no role of the API key has an entry for document.search on tenant/notes',
        decidedBy: [],
      });
    });

    it('SEC-88: of a key without policies it is the right of the owner, but for actions refused to keys', async () => {
      const { id, roleId } = await server.account(flatRole({ document: ['get'], auth: ['*'] }));
      const apiKeyId = await keyFor(id, {});
      expect(await explain(id, { ...READ, apiKeyId })).toMatchObject({
        allowed: true,
        reason: `granted by role "${roleId}"`,
      });
      const refused = await explain(id, { controller: 'auth', action: 'updateSelf', apiKeyId });
      expect(refused).toEqual({ allowed: false, reason: 'no API key is accepted for auth.updateSelf', decidedBy: [] });
      const other = await server.account(flatRole({ document: ['get'] }));
      for (const body of [
        { ...READ, apiKeyId },
        { ...READ, apiKeyId: 'nosuchid' },
      ]) {
        const { status, error } = await server.http('POST', `/users/${other.id}/_explain`, { body });
        expect([status, error.id]).toEqual([404, 'security.api_key_not_found']);
      }
    });
  });

  describe('for documents', () => {
    const ids = ['own', 'open', 'both', 'none', 'absent'];
    const documents: Readonly<Record<string, JsonObject>> = {
      own: { salary: 1, title: 'a', notes: { public: 'x', private: 'y' } },
      open: { owner: 'x', tag: 'open', salary: 2, title: 'b', notes: { public: 'x', private: 'y' } },
      both: { tag: 'open', salary: 3, title: 'c', items: [{ name: 'n', price: 1 }, { name: 'm' }] },
      none: { owner: 'x', salary: 4 },
    };
    const ofOwner = (id: string): Readonly<Record<string, JsonObject>> =>
      Object.fromEntries(Object.entries(documents).map(([key, body]) => [key, { owner: id, ...body }]));
    /** The right to the own documents without some fields, and to the open ones with some fields. */
    const account = async () => {
      const fields = { except: ['salary', 'notes.private'] };
      const made = await server.account(documentRole({ get: { documents: OWN, fields }, search: false }));
      const open = { documents: { term: { tag: 'open' } }, fields: { only: ['salary', 'notes', 'items.name'] } };
      await server.result('PUT', `/roles/${made.roleId}-open`, { body: documentRole({ get: open }) });
      const policies = [{ roleId: made.roleId }, { roleId: `${made.roleId}-open` }];
      await server.result('PUT', `/profiles/${made.profileId}`, { body: { policies } });
      await put(server, ofOwner(made.id));
      return made;
    };

    it('SEC-89: says for each document what the user gets of it', async () => {
      const { id, jwt } = await account();
      const { items } = (await explain(id, { ...READ, ids })) as { items: readonly JsonObject[] };
      expect(items).toEqual([
        { _id: 'own', allowed: true, except: ['salary', 'notes.private'] },
        { _id: 'open', allowed: true, except: ['owner', 'tag', 'title'] },
        { _id: 'both', allowed: true },
        { _id: 'none', allowed: false },
      ]);
      // As the user gets them.
      const stored = ofOwner(id);
      for (const { _id, allowed, except = [] } of items) {
        const reply = await server.http('GET', `${NOTES}/${_id as string}`, { jwt });
        expect(reply.status === 200).toBe(allowed);
        if (reply.status !== 200) continue;
        const hidden = except as readonly string[];
        const shown = reply.result._source as JsonObject;
        const { notes, ...others } = stored[_id as string] ?? {};
        expect(shown['notes']).toEqual(hidden.includes('notes.private') ? { public: 'x' } : notes);
        const missing = Object.keys(others).filter((key) => !(key in shown));
        expect(missing).toEqual(hidden.filter((path) => path !== 'notes.private'));
      }
    });

    it('SEC-89: applies the policies of an API key too', async () => {
      const { id } = await account();
      const limits = await server.account(documentRole({ get: { documents: { term: { tag: 'open' } } } }));
      const path = `/users/${id}/api-keys/_create`;
      const key = await server.result('POST', path, { body: { name: 'k', policies: [{ roleId: limits.roleId }] } });
      const { items } = await explain(id, { ...READ, ids, apiKeyId: key._id as string });
      expect((items as readonly JsonObject[]).map(({ allowed }) => allowed)).toEqual([false, true, true, false]);
    });

    it('SEC-89: leaves out what the caller may not get', async () => {
      const { id } = await account();
      const admin = (await server.result('GET', '/roles/admin')) as { _source: JsonObject };
      const changed = async (get: JsonObject | boolean) => {
        const all = { actions: { '*': true } };
        const controllers = { '*': all, document: { actions: { '*': true, get } } };
        await server.result('PUT', '/roles/admin', { body: { controllers } });
        return server.http('POST', `/users/${id}/_explain`, { body: { ...READ, ids } });
      };
      const limited = await changed({ documents: { term: { tag: 'open' } }, fields: { except: ['title'] } });
      expect(limited.result.items).toEqual([
        { _id: 'open', allowed: true, except: ['owner', 'tag'] },
        { _id: 'both', allowed: true },
      ]);
      expect(await changed(false)).toMatchObject({ status: 403, error: { id: 'security.forbidden' } });
      await server.result('PUT', '/roles/admin', { body: admin._source });
    });

    it('SEC-89: refuses answers with more than 1 MiB of fields', async () => {
      const { id } = await server.account(documentRole({ get: { fields: { only: ['notes.public'] } } }));
      const large = Array.from({ length: 20_000 }, (_, n) => [`private-field-number-${n}`, n]);
      const notes = Object.fromEntries(large) as JsonObject;
      await put(server, { large: { notes }, larger: { notes } });
      const ask = (asked: string[]) => server.http('POST', `/users/${id}/_explain`, { body: { ...READ, ids: asked } });
      expect((await ask(['large'])).result.items).toMatchObject([{ _id: 'large', allowed: true }]);
      const refused = await ask(['large', 'larger']);
      expect(refused).toMatchObject({ status: 400, error: { id: 'query.result_too_large' } });
    });

    it('SEC-89: refuses lists that are too long, or without a collection', async () => {
      const { id } = await account();
      const ask = (body: JsonObject) => server.http('POST', `/users/${id}/_explain`, { body });
      for (const [wrong, error] of [
        [{ ...READ, ids: Array.from({ length: 101 }, String) }, 'api.invalid_argument'],
        [{ ...READ, ids: [1] }, 'api.invalid_argument'],
        [{ ...READ, index: null, ids }, 'api.missing_argument'],
      ] as const)
        expect(await ask(wrong as JsonObject)).toMatchObject({ status: 400, error: { id: error } });
      const elsewhere = await explain(id, { ...READ, collection: 'absent', ids });
      expect(elsewhere.items).toEqual([]);
    });
  });

  it('SEC-88: names actions that are reserved to administrators', async () => {
    const { id } = await server.account(flatRole({ '*': ['*'] }));
    const asked = { controller: 'server', action: 'getConfig' };
    const reason = 'reserved to administrators, users with the profile "admin"';
    expect(await explain(id, asked)).toEqual({ allowed: false, reason, decidedBy: [] });
  });

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
  });
});
