/* Rights with a condition: writes are refused by the condition alone, whatever guards rights on documents (SEC-87). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSecured, type SecuredServer } from '../security/securedServer.js';
import { as, documentRole, MAPPING, NOTES } from './notes.js';

let server: SecuredServer;
let writer: ReturnType<typeof as>;

const OWN = { when: { equals: { 'document.owner': 'me' } } };
const SENT = { when: { equals: { 'request.body.title': 'sent' } } };

beforeAll(async () => {
  server = await startSecured();
  await server.result('PUT', NOTES, { body: MAPPING });
  const rights = { create: OWN, createOrReplace: OWN, upsert: OWN, replace: OWN, delete: OWN };
  const account = await server.account(documentRole({ ...rights, update: SENT, mCreate: true, mUpdate: true }));
  writer = as(server, account);
});
afterAll(() => server.close());

const statusOf = async (method: string, path: string, body?: JsonObject) =>
  (await writer.http(method, `${NOTES}/${path}`, body)).status;

describe('a right with a condition', () => {
  it('SEC-16: sees the document that is sent', async () => {
    const mine = { owner: 'me' };
    expect(await statusOf('POST', 'a/_create', mine)).toBe(200);
    expect(await statusOf('POST', 'b/_create', { owner: 'x' })).toBe(403);
    expect(await statusOf('PUT', 'c', mine)).toBe(200);
    expect(await statusOf('PUT', 'c/_replace', { ...mine, title: 't' })).toBe(200);
    expect(await statusOf('POST', 'd/_upsert', { doc: { title: 't' }, default: mine })).toBe(200);
    expect(await statusOf('DELETE', 'c')).toBe(200);
  });

  it('SEC-15: sees the body of the request', async () => {
    expect(await statusOf('PUT', 'a/_update', { title: 'sent' })).toBe(200);
    expect(await statusOf('PUT', 'a/_update', { title: 'other' })).toBe(403);
  });

  it('SEC-32: is tested with each item of a request', async () => {
    const documents = [
      { _id: 'm-1', body: { owner: 'me' } },
      { _id: 'm-2', body: { owner: 'x' } },
    ];
    const created = await writer.http('POST', `${NOTES}/_mCreate`, { documents });
    expect(created.result).toMatchObject({
      successes: [{ _id: 'm-1' }],
      errors: [{ _id: 'm-2', status: 403 }],
    });
    const changes = [
      { _id: 'm-1', body: { title: 'sent' } },
      { _id: 'a', body: { title: 'other' } },
    ];
    const updated = await writer.http('PUT', `${NOTES}/_mUpdate`, { documents: changes });
    expect(updated.result).toMatchObject({
      successes: [{ _id: 'm-1' }],
      errors: [{ _id: 'a', status: 403 }],
    });
  });
});
