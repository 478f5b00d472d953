/* Rights on documents: what writing actions may do, and what their answers show (SEC-87). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSecured, type SecuredServer } from '../security/securedServer.js';
import { as, documentRole, MAPPING, NOTES, OWN, put } from './notes.js';

let server: SecuredServer;
let writer: ReturnType<typeof as>;
let userId: string;

const HIDDEN = { except: ['salary', 'notes.private'] };
const WRITABLE = { except: ['salary', 'notes.private', 'tag'] };
const READING = { documents: OWN, fields: HIDDEN };

beforeAll(async () => {
  server = await startSecured();
  await server.result('PUT', NOTES, { body: MAPPING });
  const writing = { documents: OWN, fields: WRITABLE };
  const account = await server.account(
    documentRole({
      ...{ get: READING, search: READING, '*': writing },
      ...{ mGet: true, mCreate: true, mUpdate: true, mCreateOrReplace: true },
      delete: { documents: OWN },
      updateByQuery: { ...writing, check: { bool: { must_not: { term: { tag: 'locked' } } } } },
    }),
  );
  userId = account.id;
  writer = as(server, account);
});
afterAll(() => server.close());

const SALARIED = { salary: 5, notes: { public: 'p', private: 's' }, tag: 't' };
const stored = async (id: string) => (await server.result('GET', `${NOTES}/${id}`))._source as JsonObject;
const outcome = async (method: string, path: string, body?: JsonObject) => {
  const { status, error } = await writer.http(method, `${NOTES}/${path}`, body);
  return [status, error.id];
};

describe('a right to write documents', () => {
  it('SEC-87: a document that it does not cover is absent, and its id is taken', async () => {
    await put(server, { theirs: { owner: 'x', title: 'secret' } });
    const body = { owner: userId, title: 'mine' };
    expect(await outcome('PUT', 'theirs/_update', body)).toEqual([404, 'document.not_found']);
    expect(await outcome('PUT', 'theirs/_replace', body)).toEqual([404, 'document.not_found']);
    expect(await outcome('DELETE', 'theirs')).toEqual([404, 'document.not_found']);
    expect(await outcome('PUT', 'theirs?ifVersion=9', body)).toEqual([409, 'document.already_exists']);
    expect(await outcome('PUT', 'theirs/_replace?ifVersion=9', body)).toEqual([404, 'document.not_found']);
    expect(await outcome('POST', 'theirs/_create', body)).toEqual([409, 'document.already_exists']);
    expect(await outcome('POST', 'theirs/_upsert', { doc: body })).toEqual([409, 'document.already_exists']);
    const { text } = await writer.http('PUT', `${NOTES}/theirs`, body);
    expect(text).not.toContain('secret');
    expect(await stored('theirs')).toEqual({ owner: 'x', title: 'secret' });
  });

  it('SEC-87: a document must be covered after the write too', async () => {
    const refused = [403, 'security.document_refused'];
    expect(await outcome('POST', 'new/_create', { owner: 'x' })).toEqual(refused);
    expect(await outcome('PUT', 'new', { owner: 'x' })).toEqual(refused);
    expect((await outcome('POST', 'new/_create', { owner: userId }))[0]).toBe(200);
    expect(await outcome('PUT', 'new/_update', { owner: 'x' })).toEqual(refused);
    expect(await outcome('PUT', 'new/_replace', { title: 'without an owner' })).toEqual(refused);
    expect(await stored('new')).toEqual({ owner: userId });
    expect((await outcome('DELETE', 'new'))[0]).toBe(200);
  });

  it('SEC-87: other fields may not be changed, and hidden ones not sent', async () => {
    const refused = [403, 'security.field_not_writable'];
    expect(await outcome('POST', 'f/_create', { owner: userId, salary: 1 })).toEqual(refused);
    await put(server, { f: { owner: userId, ...SALARIED } });
    expect(await outcome('PUT', 'f/_update', { salary: 6 })).toEqual(refused);
    // The stored value of a hidden field is not confirmed.
    expect(await outcome('PUT', 'f/_update', { salary: 5 })).toEqual(refused);
    expect(await outcome('PUT', 'f/_update', { notes: { private: 's' } })).toEqual(refused);
    expect(await outcome('PUT', 'f/_update', { tag: 'other' })).toEqual(refused);
    expect((await outcome('PUT', 'f/_update', { tag: 't', title: 'new' }))[0]).toBe(200);
    expect(await stored('f')).toEqual({ owner: userId, ...SALARIED, title: 'new' });
    const { error } = await writer.http('PUT', `${NOTES}/f/_update`, { notes: { private: 'x' } });
    expect(error.message).toContain('notes.private');
  });

  it('SEC-87: a replacement keeps what the writer does not see; answers show what get shows', async () => {
    await put(server, { r: { owner: userId, title: 'old', ...SALARIED } });
    const body = { owner: userId, notes: { public: 'new' } };
    const { result } = await writer.http('PUT', `${NOTES}/r/_replace`, body);
    expect(result).toMatchObject({ _id: 'r', created: false });
    expect(result._source).toEqual({ ...body, tag: 't' });
    expect(await stored('r')).toEqual({
      owner: userId,
      notes: { public: 'new', private: 's' },
      salary: 5,
      tag: 't',
    });
    const updated = await writer.http('PUT', `${NOTES}/r/_update`, { title: 'x' });
    expect(updated.result._source).toEqual({ ...body, tag: 't', title: 'x' });
    const upserted = await writer.http('POST', `${NOTES}/r/_upsert`, { doc: { title: 'y' } });
    expect(upserted.result._source).toEqual({ ...body, tag: 't', title: 'y' });
    const whole = await writer.http('PUT', `${NOTES}/r`, { owner: userId });
    expect(whole.result).toMatchObject({ created: false, _source: { owner: userId, tag: 't' } });
    expect(await stored('r')).toEqual({
      owner: userId,
      notes: { private: 's' },
      salary: 5,
      tag: 't',
    });
  });

  it('SEC-87: bulk lines and items are judged one by one, in order', async () => {
    await put(server, { b1: { owner: userId, salary: 1 }, b2: { owner: 'x' } });
    const { status, result } = await writer.http('POST', `${NOTES}/_bulk`, {
      bulkData: [
        { update: { _id: 'b1' } },
        { doc: { title: 'first' } },
        { update: { _id: 'b2' } },
        { doc: { title: 'first' } },
        { create: { _id: 'b3' } },
        { owner: userId },
        { create: { _id: 'b4' } },
        { owner: 'x' },
        { update: { _id: 'b3' } },
        { doc: { title: 'second' } },
        { index: { _id: 'b1' } },
        { owner: userId, title: 'third' },
        { delete: { _id: 'b2' } },
      ],
    });
    expect(status).toBe(206);
    const statuses = (result.hits as JsonObject[]).map((hit) => (Object.values(hit)[0] as JsonObject).status);
    expect(statuses).toEqual([200, 404, 201, 403, 200, 200, 404]);
    expect(await stored('b1')).toEqual({ owner: userId, title: 'third', salary: 1 });
    expect(await stored('b3')).toEqual({ owner: userId, title: 'second' });
    const many = await writer.http('PUT', `${NOTES}/_mUpdate`, {
      documents: ['b1', 'b2'].map((_id) => ({ _id, body: { title: 'many' } })),
    });
    expect(many.result.successes).toMatchObject([{ _id: 'b1', _source: { title: 'many' } }]);
    expect(JSON.stringify(many.result.successes)).not.toContain('salary');
    expect(many.result.errors).toMatchObject([{ _id: 'b2', status: 404 }]);
  });

  it('SEC-87: by query, only covered documents are changed or deleted', async () => {
    await put(server, {
      q1: { owner: userId, title: 'query' },
      q2: { owner: userId, title: 'query', tag: 'locked' },
      q3: { owner: 'x', title: 'query' },
    });
    const query = { match: { title: 'query' } };
    const updated = await writer.http('PUT', `${NOTES}/_byQuery`, {
      query,
      doc: { title: 'query done' },
    });
    expect(updated.status).toBe(206);
    expect(updated.result).toMatchObject({ hits: ['q1'], errors: [{ _id: 'q2', status: 403 }] });
    const hidden = { query: { exists: { field: 'salary' } } };
    expect(await outcome('PUT', '_byQuery', { ...hidden, doc: {} })).toEqual([403, 'security.field_hidden']);
    expect(await outcome('DELETE', '_query', hidden)).toEqual([403, 'security.field_hidden']);
    const deleted = await writer.http('DELETE', `${NOTES}/_query`, { query });
    expect((deleted.result.ids as string[]).toSorted()).toEqual(['q1', 'q2']);
    expect(await stored('q3')).toEqual({ owner: 'x', title: 'query' });
  });

  it('SEC-87: a right to all writes still shows and replaces what get shows', async () => {
    const account = await server.account(documentRole({ get: READING, update: true, replace: true }));
    const user = as(server, account);
    await put(server, { w: { owner: account.id, salary: 3, title: 'a' } });
    const updated = await user.http('PUT', `${NOTES}/w/_update`, { title: 'b' });
    expect(updated.result._source).toEqual({ owner: account.id, title: 'b' });
    await user.http('PUT', `${NOTES}/w/_replace`, { owner: account.id });
    expect(await stored('w')).toEqual({ owner: account.id, salary: 3 });
    await user.http('PUT', `${NOTES}/w/_update`, { salary: 4 });
    expect(await stored('w')).toEqual({ owner: account.id, salary: 4 });
  });

  it('SEC-15: conditions on the body see the content that is sent', async () => {
    const when = { when: { equals: { 'request.body.title': 'yes' } } };
    const actions = {
      create: when,
      update: when,
      upsert: { when: { equals: { 'request.body.doc.title': 'yes' } } },
    };
    const user = as(server, await server.account(documentRole({ ...actions, mCreate: true })));
    const send = async (method: string, path: string, body: JsonObject) =>
      (await user.http(method, `${NOTES}/${path}`, body)).status;
    expect(await send('POST', 'c1/_create', { title: 'yes' })).toBe(200);
    expect(await send('POST', '_create', { title: 'yes' })).toBe(200);
    expect(await send('POST', 'c2/_create', { title: 'no' })).toBe(403);
    expect(await send('PUT', 'c1/_update', { title: 'yes', tag: 'x' })).toBe(200);
    expect(await send('POST', 'c1/_upsert', { doc: { title: 'yes' } })).toBe(200);
    const documents = ['yes', 'no'].map((title) => ({ body: { title } }));
    const { result } = await user.http('POST', `${NOTES}/_mCreate`, { documents });
    expect([result.successes, result.errors]).toMatchObject([[{ _source: { title: 'yes' } }], [{ status: 403 }]]);
  });

  it('SEC-87: rules on metadata and pipes are judged on the document as it will be', async () => {
    const author = { term: { '_meta.author': { $ref: 'user._id' } } };
    const account = await server.account(documentRole({ '*': { documents: author } }));
    const user = as(server, account);
    expect((await user.http('POST', `${NOTES}/m1/_create`, { title: 'mine' })).status).toBe(200);
    expect((await user.http('PUT', `${NOTES}/m1/_update`, { title: 'still' })).status).toBe(200);
    await put(server, { m2: { title: 'not mine' } });
    expect((await user.http('PUT', `${NOTES}/m2/_update`, { title: 'x' })).status).toBe(404);
    expect(await user.find()).toEqual(['m1']);
  });
});
