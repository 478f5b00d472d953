import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject, type Plugin, type StorageEngine } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import type { MessageClient } from './clients/MessageClient.js';
import { connectFallback } from './clients/connectFallback.js';
import { connectWebsocket } from './clients/connectWebsocket.js';

const AT = { index: 'shop', collection: 'sales' };
const RED = { equals: { colour: 'red' } };
const NAMES = { index: '%millrace', collection: 'subscriptions' };
const PASSWORD = 'Long-enough-pass-1';

interface Subscribed {
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
}

interface Notification {
  readonly action: string;
  readonly cursor?: string;
  readonly result: { readonly _id?: string; readonly reason?: string; readonly count?: number };
}

const PROTOCOLS: readonly [string, () => Plugin, (url: string) => Promise<MessageClient>][] = [
  ['websocket', () => websocket({ port: 0 }), connectWebsocket],
  ['fallback', () => fallback({ port: 0 }), connectFallback],
];

/** Polls for longer than a slow machine needs. */
const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 20_000 });

describe.each(PROTOCOLS)('named subscriptions over %s', (protocol, plugin, connectTo) => {
  let dataDir: string;
  let kernel: Kernel;
  let url: string;
  let jwt: string;

  const start = async () => {
    const config = {
      http: { port: 0 },
      server: { dataDir },
      // What isn't pinned leaves the log after a second.
      realtime: { history: { maxAgeMs: 1_000 } },
    };
    kernel = new Kernel({ config, plugins: [localAuth(), plugin()], logger: silentLogger });
    const addresses = await kernel.start();
    url = addresses.find((address) => address.protocol === protocol)?.url ?? '';
  };
  const run = async (controller: string, action: string, fields: JsonObject = {}) => {
    const response = await kernel.execute({ controller, action, ...AT, jwt, ...fields });
    if (response.error !== null) throw new Error(JSON.stringify(response.error));
    return response.result as JsonObject;
  };
  const login = async (username: string) => {
    const body = { strategy: 'local', username, password: PASSWORD };
    const { result } = await kernel.execute({ controller: 'auth', action: 'login', body });
    return (result as { readonly jwt: string }).jwt;
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-names-'));
    await start();
    const body = { _id: 'ada', password: PASSWORD };
    await kernel.execute({ controller: 'security', action: 'createFirstAdmin', body });
    jwt = await login('ada');
  });
  afterEach(async () => {
    await kernel.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const realtime = (client: MessageClient, action: string, fields: JsonObject = {}) =>
    client.request({ controller: 'realtime', action, jwt, ...fields });
  const subscribe = async (client: MessageClient, fields: JsonObject = {}) => {
    const response = await realtime(client, 'subscribe', { ...AT, body: RED, name: 'till-7', ...fields });
    expect(response.error).toBeNull();
    return response.result as unknown as Subscribed;
  };
  const ack = (client: MessageClient, cursor: string, name = 'till-7') => realtime(client, 'ack', { name, cursor });
  const sale = (_id: string, colour = 'red') => run('document', 'create', { _id, body: { colour } });
  /** Works on the store while the server is stopped. */
  const withEngine = async <T>(work: (engine: StorageEngine) => Promise<T>) => {
    await kernel.stop();
    const engine = createSqliteEngine({ dataDir });
    await engine.start();
    const result = await work(engine);
    await engine.stop();
    await start();
    return result;
  };
  /** Makes the collection of the names. */
  const subscribeOnce = async () => {
    const client = await connectTo(url);
    await subscribe(client);
    await close(client);
  };
  const close = async (client: MessageClient) => {
    client.close();
    await client.closed;
  };

  it('resumes from the acknowledged cursor after a restart of the server (RESUME-41, RESUME-42)', async () => {
    const first = await connectTo(url);
    const begun = await subscribe(first);
    expect(begun).toMatchObject({ name: 'till-7', resumed: false });
    expect((await ack(first, begun.cursor)).result).toEqual({
      name: 'till-7',
      cursor: begun.cursor,
    });
    await sale('a');
    await sale('b');
    await eventually(() => ids(first, begun)).toEqual(['a', 'b']);
    const [a] = notifications(first, begun);
    await ack(first, a?.cursor ?? '');
    await kernel.stop();
    await start();
    await sale('c');
    const second = await connectTo(url);
    const resumed = await subscribe(second);
    expect(resumed).toMatchObject({ name: 'till-7', resumed: true, channel: begun.channel });
    await eventually(() => ids(second, resumed)).toEqual(['b', 'c']);
    await sale('d');
    await eventually(() => ids(second, resumed)).toEqual(['b', 'c', 'd']);
    // An older position changes nothing.
    const [, , d] = notifications(second, resumed).filter(({ cursor }) => cursor !== undefined);
    const later = (await ack(second, d?.cursor ?? '')).result;
    expect((await ack(second, begun.cursor)).result).toEqual(later);
    await close(second);
  });

  it('keeps 1,000 changes for an absent subscriber that leave the log otherwise (RESUME-44)', async () => {
    const till = await connectTo(url);
    const { cursor } = await subscribe(till);
    await ack(till, cursor);
    const other = { collection: 'others', body: {}, mode: 'events' };
    const unnamed = await subscribe(till, { ...other, name: null });
    await close(till);
    await run('document', 'create', { collection: 'others', _id: 'x', body: {} });
    const documents = Array.from({ length: 1_000 }, (_, n) => ({ _id: `s${n}`, body: { colour: 'red' } }));
    for (let n = 0; n < documents.length; n += 100) {
      await run('document', 'mCreate', { body: { documents: documents.slice(n, n + 100) } });
    }
    const watcher = await connectTo(url);
    const isTrimmed = async () => {
      const { gap } = (await subscribe(watcher, { ...other, name: null, cursor: unnamed.cursor })) as {
        gap?: { reason: string };
      };
      return gap?.reason;
    };
    await expect.poll(isTrimmed, { timeout: 60_000, interval: 500 }).toBe('expired');
    const back = await connectTo(url);
    const resumed = await subscribe(back);
    expect(resumed.resumed).toBe(true);
    await expect.poll(() => ids(back, resumed).length, { timeout: 60_000 }).toBe(1_000);
    expect(ids(back, resumed)).toEqual(documents.map(({ _id }) => _id));
    await close(back);
    await close(watcher);
  }, 180_000);

  it('misses nothing over cuts under writes, whatever is acknowledged (RESUME-41, RESUME-42)', async () => {
    const devices = [await connectTo(url)];
    const begun = await subscribe(devices[0] as MessageClient);
    await ack(devices[0] as MessageClient, begun.cursor);
    let isOver = false;
    let written = 0;
    const write = async () => {
      while (!isOver) await sale(`s${written++}`);
    };
    const writing = write();
    let acknowledged = begun.cursor;
    for (let cut = 0; cut < 15; cut++) {
      const former = devices.at(-1) as MessageClient;
      const seen = () => notifications(former, begun).filter(({ cursor }) => cursor !== undefined);
      await eventually(() => seen().length > cut).toBe(true);
      // Some, all or none of what has come.
      const upTo = seen()[Math.floor((seen().length * (cut % 3)) / 2)]?.cursor ?? seen().at(-1)?.cursor;
      if (upTo !== undefined && upTo > acknowledged) {
        expect((await ack(former, upTo)).error).toBeNull();
        acknowledged = upTo;
      }
      await close(former);
      const next = await connectTo(url);
      devices.push(next);
      expect(await subscribe(next)).toMatchObject({ resumed: true });
      await eventually(() => notifications(next, begun)[0]?.cursor ?? '').not.toBe('');
      // Nothing that was acknowledged comes again.
      const [earliest] = notifications(next, begun);
      expect((earliest?.cursor ?? '') > acknowledged).toBe(true);
    }
    isOver = true;
    await writing;
    const received = () => new Set(devices.flatMap((client) => ids(client, begun)));
    await eventually(() => received().size).toBe(written);
    await close(devices.at(-1) as MessageClient);
  }, 120_000);

  it('belongs to one connection: a newcomer takes it over (RESUME-45)', async () => {
    const [former, newcomer] = [await connectTo(url), await connectTo(url)];
    const begun = await subscribe(former);
    await ack(former, begun.cursor);
    await sale('a');
    await eventually(() => ids(former, begun)).toEqual(['a']);
    const taken = await subscribe(newcomer);
    expect(taken.resumed).toBe(true);
    await eventually(() => ids(newcomer, taken)).toEqual(['a']);
    const ended = () => notifications(former, begun).at(-1);
    await eventually(() => ended()?.result.reason).toBe('taken_over');
    await sale('b');
    await eventually(() => ids(newcomer, taken)).toEqual(['a', 'b']);
    expect(ids(former, begun)).toEqual(['a']);
    expect((await ack(former, begun.cursor)).error).toMatchObject({ id: 'realtime.name_not_held', status: 409 });
    expect((await ack(newcomer, begun.cursor)).error).toBeNull();
    await close(former);
    await close(newcomer);
  });

  it('starts from now until a position is acknowledged, and when its filter changes (RESUME-42, RESUME-43)', async () => {
    const client = await connectTo(url);
    const first = await subscribe(client);
    await sale('a');
    const again = await subscribe(client);
    expect(again).toMatchObject({ resumed: false });
    expect(again).not.toHaveProperty('replaced');
    await ack(client, again.cursor);
    const other = await subscribe(client, { body: { equals: { colour: 'blue' } } });
    expect(other).toMatchObject({ resumed: false, replaced: true });
    expect(other).not.toHaveProperty('gap');
    await eventually(() => notifications(client, first).at(-1)?.result.reason).toBe('taken_over');
    await close(client);
  });

  it('is listed and removed by its user (RESUME-46)', async () => {
    const client = await connectTo(url);
    const { cursor } = await subscribe(client);
    await subscribe(client, { name: 'till-8', scope: 'in' });
    await ack(client, cursor);
    const listed = async () => (await realtime(client, 'listNames')).result as { names: JsonObject[] };
    expect(await listed()).toMatchObject({
      names: [
        { ...AT, name: 'till-7', filter: RED, scope: 'all', state: 'done', users: 'none', cursor },
        { ...AT, name: 'till-8', scope: 'in', cursor: null },
      ],
    });
    expect((await realtime(client, 'deleteName', { name: 'till-7' })).error).toBeNull();
    expect((await listed()).names.map(({ name }) => name)).toEqual(['till-8']);
    expect((await ack(client, cursor)).error).toMatchObject({ id: 'realtime.name_not_held' });
    const twice = await realtime(client, 'deleteName', { name: 'till-7' });
    expect(twice.error).toMatchObject({ id: 'realtime.name_not_found', status: 404 });
    expect(await subscribe(client)).toMatchObject({ resumed: false });
    await close(client);
  });

  it('refuses anonymous callers, wrong names, wrong cursors and too many names (RESUME-40, RESUME-42)', async () => {
    const client = await connectTo(url);
    const asked = { ...AT, body: RED, name: 'till-7' };
    const roles = { controllers: { realtime: { actions: { subscribe: true } } } };
    await run('security', 'createOrReplaceRole', { index: null, collection: null, _id: 'anonymous', body: roles });
    const anonymous = await realtime(client, 'subscribe', { ...asked, jwt: null });
    expect(anonymous.error).toMatchObject({ id: 'realtime.name_needs_user', status: 401 });
    for (const name of ['', 'a b', 'x'.repeat(129), 7]) {
      const { error } = await realtime(client, 'subscribe', { ...asked, name });
      expect([name, error]).toMatchObject([name, { id: 'api.invalid_argument', status: 400 }]);
    }
    const { cursor } = await subscribe(client);
    for (const wrong of ['x', `${cursor.slice(0, -1)}`, cursor.replace(/^[^.]+/, 'aaaaaaaa')]) {
      const { error } = await ack(client, wrong);
      expect([wrong, error]).toMatchObject([wrong, { id: 'realtime.invalid_cursor', status: 400 }]);
    }
    for (let n = 1; n < 100; n++) await subscribe(client, { name: `n${n}` });
    const oneMore = await realtime(client, 'subscribe', { ...asked, name: 'n100' });
    expect(oneMore.error).toMatchObject({ id: 'realtime.too_many_names', status: 429 });
    await close(client);
  }, 60_000);

  it('are at most 100 for a user, however many are made at the same time (RESUME-40)', async () => {
    const resume = async (client: MessageClient, part: number) => {
      const subscriptions = Array.from({ length: 60 }, (_, n) => ({
        ...AT,
        filter: RED,
        scope: part % 2 ? 'in' : 'all',
        users: part < 2 ? 'none' : 'all',
        name: `n${part}-${n}`,
      }));
      const { result } = await realtime(client, 'resume', { body: { subscriptions } });
      const answers = (result as JsonObject)['subscriptions'] as readonly { status: number }[];
      return answers.map(({ status }) => status);
    };
    const clients = await Promise.all(Array.from({ length: 4 }, () => connectTo(url)));
    const statuses = (await Promise.all(clients.map(resume))).flat();
    const none = { index: null, collection: null };
    const { names } = await run('realtime', 'listNames', none);
    expect(names).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
    for (const client of clients) await close(client);
  }, 60_000);

  it('of a former user are not those of a later one with the same id (RESUME-47)', async () => {
    await subscribeOnce();
    await kernel.stop();
    const engine = createSqliteEngine({ dataDir });
    await engine.start();
    const record = { name: 'left', ...AT, filter: RED, options: {}, channel: 'x', cursor: null, usedAt: 1 };
    const writes = Array.from({ length: 250 }, (_, n) => ({
      index: '%millrace',
      collection: 'subscriptions',
      kind: 'put' as const,
      id: nameKeyOf('bob', `left${n}`),
      source: { user: 'bob', record: { ...record, name: `left${n}` } },
      condition: 'absent' as const,
    }));
    const outcomes = await engine.write(writes, false);
    expect(outcomes.every(({ status }) => status === 'created')).toBe(true);
    await engine.stop();
    await start();
    jwt = await login('ada');
    const none = { index: null, collection: null };
    const body = { profileIds: ['admin'], password: PASSWORD };
    await run('security', 'createUser', { ...none, _id: 'bob', body });
    jwt = await login('bob');
    const list = async () => (await run('realtime', 'listNames', none)).names;
    await expect.poll(list, { timeout: 20_000 }).toEqual([]);
  }, 60_000);

  it('is never that of a later user with the same id, also if it could not be removed (RESUME-47)', async () => {
    const none = { index: null, collection: null };
    const body = { profileIds: ['admin'], password: PASSWORD };
    const names = async () => (await run('realtime', 'listNames', none)).names;
    await run('security', 'createUser', { ...none, _id: 'bob', body });
    jwt = await login('bob');
    const client = await connectTo(url);
    const { cursor } = await subscribe(client);
    await ack(client, cursor);
    await subscribe(client, { name: 'till-8' });
    await close(client);
    expect(await names()).toHaveLength(2);
    const stored = await withEngine((engine) =>
      Promise.all([engine.read(NAMES, nameKeyOf('bob', 'till-7')), engine.read(NAMES, nameKeyOf('bob', 'till-8'))]),
    );
    jwt = await login('ada');
    await run('security', 'deleteUser', { ...none, _id: 'bob' });
    await run('security', 'createUser', { ...none, _id: 'bob', body });
    jwt = await login('bob');
    await eventually(names).toEqual([]);
    // As if neither the deletion nor the creation had removed them.
    await withEngine(async (engine) => {
      const writes = stored.map((document) => ({
        ...NAMES,
        kind: 'put' as const,
        id: document?.id ?? '',
        source: document?.source ?? {},
        condition: 'absent' as const,
      }));
      const outcomes = await engine.write(writes, false);
      expect(outcomes.map(({ status }) => status)).toEqual(['created', 'created']);
    });
    jwt = await login('bob');
    const later = await connectTo(url);
    const taken = await subscribe(later);
    expect(taken).toMatchObject({ resumed: false });
    expect(taken).not.toHaveProperty('replaced');
    expect(await names()).toMatchObject([{ name: 'till-7', cursor: null }]);
    await close(later);
  });

  it('of versions that stored no suid are listed and resumed (RESUME-47)', async () => {
    const client = await connectTo(url);
    const { cursor } = await subscribe(client);
    await ack(client, cursor);
    await close(client);
    await withEngine(async (engine) => {
      const id = nameKeyOf('ada', 'till-7');
      const stored = await engine.read(NAMES, id);
      const { suid, ...record } = stored?.source['record'] as JsonObject;
      expect(suid).toEqual(expect.any(String));
      await engine.write([{ ...NAMES, kind: 'put', id, source: { user: 'ada', record }, condition: 'present' }], false);
    });
    jwt = await login('ada');
    const back = await connectTo(url);
    expect(await subscribe(back)).toMatchObject({ resumed: true });
    const { names } = await run('realtime', 'listNames', { index: null, collection: null });
    expect(names).toMatchObject([{ name: 'till-7' }]);
    expect(JSON.stringify(names)).not.toContain('suid');
    await close(back);
  });

  it('leaves with its user, and needs the rights of each resume (RESUME-47)', async () => {
    const none = { index: null, collection: null };
    const body = { profileIds: ['admin'], password: PASSWORD };
    await run('security', 'createUser', { ...none, _id: 'bob', body });
    const admin = jwt;
    jwt = await login('bob');
    const client = await connectTo(url);
    const { cursor } = await subscribe(client);
    await ack(client, cursor);
    await close(client);
    await run('security', 'updateUser', { ...none, _id: 'bob', body: { profileIds: ['anonymous'] }, jwt: admin });
    const back = await connectTo(url);
    const refused = await realtime(back, 'subscribe', { ...AT, body: RED, name: 'till-7' });
    expect([401, 403]).toContain(refused.status);
    await run('security', 'deleteUser', { ...none, _id: 'bob', jwt: admin });
    await run('security', 'createUser', { ...none, _id: 'bob', body, jwt: admin });
    jwt = await login('bob');
    const names = async () => (await run('realtime', 'listNames', none)).names;
    await eventually(names).toEqual([]);
    await close(back);
  });
});

/** See `nameKey` of @millrace/realtime. */
function nameKeyOf(user: string, name: string): string {
  return createHash('sha256').update(`${user}\0${name}`).digest('base64url');
}

/** What arrived on the channel, in order. */
function notifications({ everything }: MessageClient, { channel }: Subscribed): readonly Notification[] {
  return everything.flatMap((text) => {
    if (!text.includes(channel)) return [];
    const message = JSON.parse(text) as readonly [string, Notification] | (Notification & { room: string });
    if (Array.isArray(message)) return message[0] === channel ? [message[1] as Notification] : [];
    return 'room' in message && message.room === channel ? [message] : [];
  });
} // prettier-ignore

function ids(client: MessageClient, subscribed: Subscribed): readonly (string | undefined)[] {
  return notifications(client, subscribed)
    .filter(({ action }) => action === 'create')
    .map(({ result }) => result._id);
}
