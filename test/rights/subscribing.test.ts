/* Rights on documents: subscriptions and followed searches (SEC-86). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryProtocol } from '../realtime/MemoryProtocol.js';
import { startSecured, type SecuredServer } from '../security/securedServer.js';
import { documentRole, MAPPING, NOTES, OWN, put } from './notes.js';

const AT = { index: 'tenant', collection: 'notes' };
const WAIT = { timeout: 60_000, interval: 20 };
const READING = { documents: OWN, fields: { except: ['salary'] } };

describe('a user who may read a part of a collection', () => {
  const protocol = new MemoryProtocol();
  let server: SecuredServer;

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [protocol.plugin] });
    await server.result('PUT', NOTES, { body: MAPPING });
  });
  afterAll(() => server.close());

  it('SEC-86: follows searches within the right', async () => {
    const { id, jwt } = await server.account(documentRole({ search: READING }));
    await put(server, { a: { owner: id, title: 'a', salary: 1 }, x: { owner: 'x', title: 'x' } });
    const client = protocol.connect();
    const body = { query: { exists: { field: 'owner' } }, sort: [{ 'title.raw': 'asc' }] };
    const request = { controller: 'realtime', action: 'follow', ...AT, jwt };
    const { result } = await client.request({ ...request, body });
    const { channel, hits } = result as unknown as { channel: string; hits: readonly JsonObject[] };
    expect(hits.map(({ _id, _source }) => [_id, _source])).toEqual([
      ['a', { owner: id, title: 'a' }],
    ]);
    client.channels.add(channel);
    await put(server, { y: { owner: 'x', title: 'y' }, b: { owner: id, title: 'b', salary: 2 } });
    const received = () => JSON.stringify(client.received.map(({ message }) => message));
    await vi.waitFor(() => expect(received()).toContain('"_id":"b"'), WAIT);
    expect(received()).not.toContain('"y"');
    expect(received()).not.toContain('salary');
    const hidden = await client.request({ ...request, body: { query: { term: { salary: 2 } } } });
    expect(hidden).toMatchObject({ status: 403, error: { id: 'security.field_hidden' } });
  });

  it('SEC-86: does not subscribe, and a subscription ends when the right becomes limited', async () => {
    const limited = documentRole({ search: READING });
    const refused = await server.account(limited);
    const subscribe = { controller: 'realtime', action: 'subscribe', ...AT, body: {} };
    const answer = await protocol.connect().request({ ...subscribe, jwt: refused.jwt });
    expect(answer).toMatchObject({ status: 403, error: { id: 'security.forbidden' } });
    const { jwt, roleId } = await server.account(documentRole({ search: true }));
    const client = protocol.connect();
    const { result, status } = await client.request({ ...subscribe, jwt });
    expect(status).toBe(200);
    client.channels.add((result as { readonly channel: string }).channel);
    await server.result('PUT', `/roles/${roleId}`, { body: limited });
    await vi.waitFor(() => {
      expect(client.received.map(({ message }) => message.action)).toContain('subscriptionEnded');
    }, WAIT);
  });
});
