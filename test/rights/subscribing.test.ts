/* Rights on documents: subscriptions and followed searches (SEC-86). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryProtocol, type MemoryClient } from '../realtime/MemoryProtocol.js';
import { startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import { documentRole, INDEX, MAPPING, NOTES, OWN, put } from './notes.js';

const AT = { index: INDEX, collection: 'notes' };
const WAIT = { timeout: 60_000, interval: 20 };
const READING = { documents: OWN, fields: { except: ['salary', 'notes.private'] } };
const HIDDEN = { status: 403, error: { id: 'security.field_hidden' } };

const protocol = new MemoryProtocol();
let server: SecuredServer;

beforeAll(async () => {
  server = await startSecured({}, { plugins: [protocol.plugin] });
  const properties = { ...MAPPING.properties, due: { type: 'date' } };
  await server.result('PUT', NOTES, { body: { ...MAPPING, properties } });
});
afterAll(() => server.close());

interface Listening {
  readonly client: MemoryClient;
  readonly roomId: string;
  readonly channel: string;
  readonly cursor: string;
}

async function subscribe(
  { jwt }: Pick<Account, 'jwt'>,
  body: JsonObject = {},
  fields: JsonObject = {},
): Promise<Listening> {
  const client = protocol.connect();
  const request = { controller: 'realtime', action: 'subscribe', ...AT, body, mode: 'events' };
  const { status, result, error } = await client.request({ ...request, ...fields, jwt });
  expect(status, JSON.stringify(error)).toBe(200);
  const made = result as unknown as Omit<Listening, 'client'>;
  return { ...made, client };
}

/** A notification, short: `create in a`. */
function short({ action, scope, result }: JsonObject): string {
  return `${action as string} ${scope as string} ${(result as { readonly _id: string })._id}`;
}

/** What the notifications tell of documents; `more`: something besides id and content. */
function told({ client, channel }: Listening): readonly JsonObject[] {
  return client.received
    .filter((each) => each.channel === channel && each.message.controller === 'document')
    .map(({ message }) => {
      const { _id: _, _source, ...others } = message.result;
      const content = _source === undefined ? {} : { _source };
      return { is: short(message), ...content, more: Object.keys(others).length > 0 };
    });
}

/** The last write of a test, after everything was received. */
async function settled(listening: Listening, owner: string): Promise<readonly JsonObject[]> {
  const id = `end-${owner}`;
  await put(server, { [id]: { owner, tag: 'end', title: 'mill' } });
  const last = () => expect(told(listening).at(-1)?.is).toBe(`create in ${id}`);
  await vi.waitFor(last, WAIT);
  return told(listening).slice(0, -1);
}

/** Writes that concern a document in every way, by the administrator. */
async function writeAll(owner: string): Promise<void> {
  await put(server, {
    own: { owner, title: 'the mill', salary: 1, notes: { private: 'p', public: 'q' } },
    other: { owner: 'x', title: 'the mill' },
  });
  // Hidden fields alone.
  await put(server, { own: { owner, title: 'the mill', salary: 2, notes: { public: 'q' } } });
  await put(server, { own: { owner, title: 'a mill', salary: 2 } });
  await put(server, { own: { owner: 'x', title: 'a mill' } });
  await put(server, { own: { owner: 'x', title: 'no mill' } });
  await put(server, { own: { owner, title: 'my mill' } });
  await server.result('DELETE', `${NOTES}/own`);
  await server.result('DELETE', `${NOTES}/other`);
}

const toldOfAll = (owner: string) => [
  { is: 'create in own', _source: { owner, title: 'the mill', notes: { public: 'q' } }, more: true },
  { is: 'update in own', _source: { owner, title: 'a mill' }, more: true },
  { is: 'update out own', more: false },
  { is: 'update in own', _source: { owner, title: 'my mill' }, more: true },
  { is: 'delete out own', more: true },
]; // prettier-ignore

describe('a user who may read a part of a collection', () => {
  it.each([
    ['filter', { not: { equals: { tag: 'x' } } }, {}],
    ['query', {}, { query: { match: { title: 'mill' } } }],
    ['query without fields', {}, { query: { multi_match: { query: 'mill' } } }],
  ])('SEC-86: is notified by a %s as if the right were part of it', async (_, body, fields) => {
    const account = await server.account(documentRole({ search: READING }));
    const listening = await subscribe(account, body, fields);
    await writeAll(account.id);
    expect(await settled(listening, account.id)).toEqual(toldOfAll(account.id));
  });

  it('SEC-86: is sent the same when it resumes, and by a poll', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const { client, cursor } = await subscribe(account);
    client.close();
    await writeAll(account.id);
    const resumed = await subscribe(account, {}, { cursor });
    expect(await settled(resumed, account.id)).toEqual(toldOfAll(account.id));
    const path = `${NOTES}/_changes?cursor=${encodeURIComponent(cursor)}`;
    const { changes } = await server.result('GET', path, { jwt: account.jwt });
    const polled = (changes as readonly JsonObject[]).map(short);
    expect(polled.slice(0, -1)).toEqual(toldOfAll(account.id).map(({ is }) => is));
    const state = await subscribe(account, {}, { cursor, mode: 'state' });
    const ofState = await settled(state, account.id);
    expect(JSON.stringify(ofState)).not.toContain('other');
  });

  it('SEC-86: can not ask about hidden fields', async () => {
    const { jwt } = await server.account(documentRole({ search: READING }));
    const request = { controller: 'realtime', action: 'subscribe', ...AT, jwt };
    const ask = (fields: JsonObject) => protocol.connect().request({ ...request, ...fields });
    expect(await ask({ body: { not: { range: { salary: { gte: 1 } } } } })).toMatchObject(HIDDEN);
    expect(await ask({ body: { exists: { field: 'notes.private' } } })).toMatchObject(HIDDEN);
    expect(await ask({ query: { range: { salary: { gte: 1 } } } })).toMatchObject(HIDDEN);
    const body = { equals: { salary: 1 } };
    const polled = await server.http('POST', `${NOTES}/_changes`, { jwt, body });
    expect(polled).toMatchObject(HIDDEN);
    const wrong = await ask({ body: { nonsense: {} } });
    expect(wrong).toMatchObject({ status: 400, error: { id: 'realtime.invalid_filter' } });
  });

  it('SEC-86: a filter sees nothing of an object whose content is hidden', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const { id: owner } = account;
    const listening = await subscribe(account, { or: [{ exists: { field: 'notes' } }, { equals: { tag: 'end' } }] });
    await put(server, { n1: { owner, notes: { private: 'p' } } });
    await put(server, { n2: { owner, notes: { public: 'p' } } });
    const heard = await settled(listening, owner);
    expect(heard.map(({ is }) => is)).toEqual(['create in n2']);
  });

  it('SEC-86: shares rooms with users of an equal right only', async () => {
    const right = { documents: { term: { tag: 'open' } } };
    const [one, same] = [
      await server.account(documentRole({ search: right })),
      await server.account(documentRole({ search: right })),
    ];
    const other = await server.account(documentRole({ search: READING }));
    const whole = await server.account(documentRole({ search: true }));
    const filter = { exists: { field: 'title' } };
    const rooms = await Promise.all([one, same, other, whole].map((each) => subscribe(each, filter)));
    const [first, second] = rooms.map(({ roomId }) => roomId);
    expect(second).toBe(first);
    expect(new Set(rooms.map(({ roomId }) => roomId)).size).toBe(3);
    const ask = async (action: string, { jwt }: Account) => {
      const request = { controller: 'realtime', action, roomId: first as string, jwt };
      const { status, result } = await protocol.connect().request(request);
      return status === 200 ? ((result as JsonObject).count ?? 'joined') : status;
    };
    for (const action of ['count', 'presence']) {
      expect(await Promise.all([one, other, whole].map((each) => ask(action, each)))).toEqual([2, 404, 404]);
    }
    expect(await Promise.all([one, other, whole].map((each) => ask('join', each)))).toEqual(['joined', 404, 404]);
    const listed = async ({ jwt }: Account) => {
      const { tenant } = await server.result('GET', '/_listSubscriptions', { jwt });
      return Object.keys((tenant as { readonly notes: JsonObject }).notes).includes(first as string);
    };
    const lister = documentRole({ search: READING });
    expect(await listed(await server.account(documentRole({ search: right })))).toBe(true);
    expect(await listed(await server.account(documentRole({ search: true })))).toBe(true);
    await expect(listed(await server.account(lister))).rejects.toThrow();
  });

  it('SEC-86: resumes with the gap `rights_changed` if the right has changed since its cursor', async () => {
    const open = documentRole({ search: { documents: { term: { tag: 'open' } } } });
    const [owned, whole] = [documentRole({ search: READING }), documentRole({ search: true })];
    const account = await server.account(owned);
    const { jwt, id: owner } = account;
    await put(server, { kept: { owner, title: 'kept' } });
    const give = (role: JsonObject) => server.result('PUT', `/roles/${account.roleId}`, { body: role });
    const poll = async (cursor?: string) => {
      const path = `${NOTES}/_changes${cursor === undefined ? '' : `?cursor=${cursor}`}`;
      const { status, result, error } = await server.http('GET', path, { jwt });
      return { status, ...(result as JsonObject | null), details: (error as JsonObject | null)?.details };
    };
    const cursors = [(await subscribe(account)).cursor, ((await poll()) as unknown as Listening).cursor];
    await give(open);
    for (const cursor of cursors) {
      const client = protocol.connect();
      const request = { controller: 'realtime', action: 'subscribe', ...AT, jwt, body: {}, cursor };
      const { result } = await client.request(request);
      expect(result).toMatchObject({ resumed: false, gap: { reason: 'rights_changed' } });
      const { cursor: next } = result as unknown as Listening;
      expect(next.length).toBeLessThanOrEqual(32);
      const again = await client.request({ ...request, cursor: next });
      expect(again.result).toMatchObject({ resumed: true });
      const refused = await poll(cursor);
      expect(refused).toMatchObject({ status: 410, details: { reason: 'rights_changed' } });
      expect(await poll((refused.details as unknown as Listening).cursor)).toMatchObject({ status: 200, changes: [] });
    }
    const limited = await subscribe(account);
    await put(server, { opened: { owner: 'x', tag: 'open' } });
    await vi.waitFor(() => expect(told(limited)).toHaveLength(1), WAIT);
    const { cursor } = limited.client.received.at(-1)?.message as unknown as Listening;
    await give(whole);
    const asked = { controller: 'realtime', action: 'subscribe', ...AT, jwt, body: {}, cursor };
    const widened = await protocol.connect().request(asked);
    expect(widened.result).toMatchObject({ resumed: false, gap: { reason: 'rights_changed' } });
    await give(open);
    const back = await protocol.connect().request(asked);
    expect(back.result).toMatchObject({ resumed: true, cursor });
  });

  it('SEC-86: a named subscription resumes in the right that it was acknowledged in', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const client = protocol.connect();
    const ask = (fields: JsonObject) =>
      client.request({ controller: 'realtime', action: 'subscribe', ...AT, jwt: account.jwt, ...fields });
    const named = { body: {}, name: 'till' };
    const { result: first } = await ask(named);
    const { cursor } = first as unknown as Listening;
    expect(await ask({ action: 'ack', name: 'till', cursor })).toMatchObject({ status: 200, result: { cursor } });
    expect((await ask(named)).result).toMatchObject({ resumed: true });
    const [position] = cursor.split('-');
    expect((await ask({ action: 'ack', name: 'till', cursor: position ?? '' })).result).toMatchObject({ cursor });
    const wide = documentRole({ search: { documents: { exists: { field: 'owner' } } } });
    await server.result('PUT', `/roles/${account.roleId}`, { body: wide });
    expect((await ask(named)).result).toMatchObject({ resumed: false, replaced: true });
    const late = await ask({ action: 'ack', name: 'till', cursor });
    expect(late).toMatchObject({ status: 400, error: { id: 'realtime.invalid_cursor' } });
    // A position from before acknowledges nothing.
    expect((await ask({ ...named, cursor })).result).toMatchObject({ gap: { reason: 'rights_changed' } });
    expect((await ask(named)).result).toMatchObject({ resumed: false });
  });

  it('SEC-86: a followed search begins again if the right has changed since its cursor', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const { jwt, id: owner } = account;
    await put(server, { mine: { owner, title: 'followed' }, open: { owner: 'x', tag: 'followed' } });
    const follow = async (size: number, cursor?: string) => {
      const body = {
        query: { bool: { should: [{ match: { title: 'followed' } }, { term: { tag: 'followed' } }] } },
        size,
        sort: [{ owner: 'asc' }],
      };
      const fields = {
        controller: 'realtime',
        action: 'follow',
        ...AT,
        jwt,
        body,
        ...(cursor !== undefined && { cursor }),
      };
      return (await protocol.connect().request(fields)).result as JsonObject;
    };
    const before = [await follow(5), await follow(6)];
    expect(await follow(5, before[0]?.cursor as string)).toMatchObject({ deltas: [] });
    const role = documentRole({ search: { documents: { term: { tag: 'followed' } } } });
    await server.result('PUT', `/roles/${account.roleId}`, { body: role });
    for (const [n, { cursor }] of before.entries()) {
      const { hits } = await follow(5 + n, cursor as string);
      expect((hits as readonly JsonObject[]).map(({ _id }) => _id)).toEqual(['open']);
    }
  });

  it('SEC-86: receives published messages whatever the right covers', async () => {
    const { jwt } = await server.account(documentRole({ search: READING }));
    const { client, channel } = await subscribe({ jwt }, { equals: { kind: 'ping' } });
    const query = await subscribe({ jwt }, {}, { query: { term: { tag: 'ping' } } });
    const publish = (body: JsonObject) => server.result('POST', `${NOTES}/_publish`, { body });
    await publish({ kind: 'ping', salary: 1 });
    await publish({ tag: 'ping' });
    await vi.waitFor(() => expect(client.heard(channel)).toEqual(['publish in']), WAIT);
    await vi.waitFor(() => expect(query.client.heard(query.channel)).toEqual(['publish in']), WAIT);
  });

  it('SEC-86: without the right to search, or to get everything, receives messages only', async () => {
    const [none, some, all] = await Promise.all(
      [{}, { get: READING }, { get: true }].map((each) => server.account(documentRole(each))),
    );
    const listening = await Promise.all([none, some, all].map((each) => subscribe(each as Account)));
    await put(server, { event: { owner: some?.id ?? '', title: 'mill' } });
    await server.result('POST', `${NOTES}/_publish`, { body: { a: 1 } });
    const received = listening.map(
      ({ client, channel }) =>
        () =>
          client.heard(channel),
    );
    for (const each of received) await vi.waitFor(() => expect(each()).toContain('publish in'), WAIT);
    const messages = ['publish in'];
    expect(received.map((each) => each())).toEqual([messages, messages, ['create in event', ...messages]]);
    const { result } = await protocol.connect().request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: {},
      state: 'all',
      jwt: none?.jwt ?? '',
    });
    expect((result as JsonObject).roomId).not.toBe(listening[2]?.roomId);
  });

  it('SEC-86: `now` in a right is the time of the write', async () => {
    const documents = { range: { due: { lte: 'now' } } };
    const account = await server.account(documentRole({ search: { documents } }));
    const listening = await subscribe(account);
    const dayMs = 86_400_000;
    await put(server, { later: { title: 'later', due: Date.now() + dayMs } });
    await put(server, { past: { title: 'past', due: Date.now() - dayMs } });
    await vi.waitFor(() => expect(told(listening)).not.toEqual([]), WAIT);
    expect(told(listening).map(({ is }) => is)).toEqual(['create in past']);
  });

  it('SEC-86: several policies show the union, each document with the fields of those that cover it', async () => {
    const own = { documents: OWN };
    const open = { documents: { term: { tag: 'open' } }, fields: { only: ['title'] } };
    const account = await server.account(documentRole({ search: own }));
    const roleId = `${account.roleId}-open`;
    await server.result('PUT', `/roles/${roleId}`, { body: documentRole({ search: open }) });
    const policies = [{ roleId }, { roleId: account.roleId }];
    await server.result('PUT', `/profiles/${account.profileId}`, { body: { policies } });
    const listening = await subscribe(account, { exists: { field: 'title' } });
    const { id: owner } = account;
    await put(server, { u1: { owner: 'x', tag: 'open', title: 'a', salary: 1 } });
    await put(server, { u2: { owner, tag: 'open', title: 'b', salary: 2 } });
    await put(server, { u3: { owner: 'x', title: 'c' } });
    const heard = await settled(listening, owner);
    expect(heard.map(({ _source }) => _source)).toEqual([
      { title: 'a' },
      { owner, tag: 'open', title: 'b', salary: 2 },
    ]);
  });

  it('SEC-86: a subscription ends when the right to the documents changes', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const { client } = await subscribe(account);
    const role = documentRole({ search: { documents: { term: { tag: 'open' } } } });
    await server.result('PUT', `/roles/${account.roleId}`, { body: role });
    await vi.waitFor(() => {
      expect(client.received.map(({ message }) => message.action)).toContain('subscriptionEnded');
    }, WAIT);
  });

  it('SEC-86: follows searches within the right', async () => {
    const { id, jwt } = await server.account(documentRole({ search: READING }));
    await put(server, { a: { owner: id, title: 'a', salary: 1 }, x: { owner: 'x', title: 'x' } });
    const client = protocol.connect();
    const body = { query: { exists: { field: 'owner' } }, sort: [{ 'title.raw': 'asc' }] };
    const request = { controller: 'realtime', action: 'follow', ...AT, jwt };
    const { result } = await client.request({ ...request, body });
    const { channel, hits } = result as unknown as { channel: string; hits: readonly JsonObject[] };
    expect(hits.map(({ _id, _source }) => [_id, _source])).toEqual([['a', { owner: id, title: 'a' }]]);
    client.channels.add(channel);
    await put(server, { y: { owner: 'x', title: 'y' }, b: { owner: id, title: 'b', salary: 2 } });
    const received = () => JSON.stringify(client.received.map(({ message }) => message));
    await vi.waitFor(() => expect(received()).toContain('"_id":"b"'), WAIT);
    expect(received()).not.toContain('"y"');
    expect(received()).not.toContain('salary');
    const hidden = await client.request({ ...request, body: { query: { term: { salary: 2 } } } });
    expect(hidden).toMatchObject(HIDDEN);
  });

  it('SEC-86: followers with equal rights share a result, without those whose right has changed', async () => {
    const right = { documents: { term: { tag: 'shared' } } };
    const [first, second] = [
      await server.account(documentRole({ search: right })),
      await server.account(documentRole({ search: right })),
    ];
    const body = { query: { exists: { field: 'title' } }, sort: [{ 'title.raw': 'asc' }] };
    const follow = async ({ jwt }: Account) => {
      const client = protocol.connect();
      const request = { controller: 'realtime', action: 'follow', ...AT, jwt, body };
      const { result } = await client.request(request);
      return { client, followId: (result as JsonObject).followId as string };
    };
    const [one, two] = [await follow(first), await follow(second)];
    expect(two.followId).toBe(one.followId);
    const wider = documentRole({ search: { documents: { exists: { field: 'title' } } } });
    await server.result('PUT', `/roles/${first.roleId}`, { body: wider });
    await put(server, { secret: { title: 'a', tag: 'secret' }, f1: { title: 'b', tag: 'shared' } });
    const received = ({ client }: typeof one) => JSON.stringify(client.received.map(({ message }) => message));
    await vi.waitFor(() => expect(received(one)).toContain('subscriptionEnded'), WAIT);
    await vi.waitFor(() => expect(received(two)).toContain('"f1"'), WAIT);
    expect(received(one) + received(two)).not.toContain('"secret"');
  });
});
