import { localAuth } from '@millrace/auth-local';
import { createClient, NetworkError } from '@millrace/client';
import { memoryOutbox, offline, OfflineError, type Conflict, type OfflineOptions } from '@millrace/client/offline';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sharedOutbox } from './sharedOutbox.js';

interface Station {
  name?: string;
  bikes?: number;
  tags?: string[];
  at?: { x?: number; y?: number };
}
interface Schema {
  city: { stations: Station };
}

const DAY_MS = 24 * 3_600_000;

describe('the outbox of the client', () => {
  let server: TestKernel;
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    server = await startTestKernel();
    await server.kernel.execute({ controller: 'index', action: 'create', index: 'city' });
  });
  afterAll(() => server.close());
  // Attempts follow each other at once.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.001));
  afterEach(() => {
    for (const end of ends.splice(0)) end();
    vi.restoreAllMocks();
  });

  /** A client whose network can be away. */
  function open(options: OfflineOptions = {}, isThere = true) {
    const network = { isThere, sent: 0 };
    const client = createClient<Schema>(server.url, {
      fetch: async (...sent) => {
        if (!network.isThere) throw new TypeError('away');
        network.sent++;
        return fetch(...sent);
      },
    }).with(offline({ store: memoryOutbox(), ...options }));
    ends.push(() => client.outbox.close());
    const stations = client.collection('city', 'stations');
    const sent = () => expect.poll(() => client.outbox.getSnapshot()).toEqual([]);
    return { client, stations, network, sent };
  }

  /** Documents as another client writes them. */
  const others = () => createClient<Schema>(server.url).collection('city', 'stations');

  it('stores writes while the server is away, and sends them in order when it is back', async () => {
    const { client, stations, network, sent } = open({}, false);
    const id = await stations.offline.create({ name: 'Nation', bikes: 1 });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await stations.offline.update(id, { bikes: 2 });
    await stations.offline.update(id, { tags: ['a'] });
    const source = { name: 'Nation', bikes: 2, tags: ['a'] };
    const address = { index: 'city', collection: 'stations', id };
    expect(stations.offline.getSnapshot()).toEqual([{ ...address, state: 'pending', source }]);
    expect(client.outbox.getSnapshot()).toEqual(stations.offline.getSnapshot());
    expect(stations.offline.getSnapshot()).toBe(stations.offline.getSnapshot());
    expect(stations.offline.state(id)).toEqual({ state: 'pending' });
    expect(await stations.offline.get(id)).toMatchObject({ id, state: 'pending', source });
    await expect(stations.offline.get('unknown')).rejects.toThrow(NetworkError);
    network.isThere = true;
    await sent();
    expect(stations.offline.state(id)).toEqual({ state: 'synced' });
    expect(await stations.get(id)).toMatchObject({ version: 3, source });
    expect(await stations.offline.get(id)).toMatchObject({ version: 3, state: 'synced' });
  });

  it('ids sort by the time of their creation', async () => {
    const { stations } = open({}, false);
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) ids.push(await stations.offline.create({ bikes: i }));
    expect([...ids].sort()).toEqual(ids);
  });

  it('writes are kept by the store, and sent by the next client', async () => {
    const store = memoryOutbox();
    const first = open({ store }, false);
    const id = await first.stations.offline.create({ bikes: 1 });
    first.client.outbox.close();
    const second = open({ store });
    await expect.poll(async () => (await second.stations.get(id))?.source).toEqual({ bikes: 1 });
    await second.sent();
  });

  it('one of two clients of a store sends, for both', async () => {
    const shared = sharedOutbox();
    const [one, two] = [open({ store: shared() }, false), open({ store: shared() }, false)];
    const ids: string[] = [];
    for (const { stations } of [one, two, one, two]) ids.push(await stations.offline.create({ bikes: ids.length }));
    const shown = () => one.stations.offline.getSnapshot().map(({ id }) => id);
    await expect.poll(shown).toEqual(ids);
    expect(two.stations.offline.getSnapshot()).toEqual(one.stations.offline.getSnapshot());
    // The first has the turn, and the second takes it over.
    two.network.isThere = true;
    one.client.outbox.close();
    await two.sent();
    expect(one.network.sent).toBe(0);
    const { documents } = await others().mGet(ids);
    expect(documents.map(({ source, version }) => [source.bikes, version])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it('what one client has sent is shown by the other', async () => {
    const shared = sharedOutbox();
    const one = open({ store: shared() });
    const two = open({ store: shared() });
    const id = await one.stations.offline.create({ bikes: 1 });
    await Promise.all([one.sent(), two.sent()]);
    const shown = [{ id, version: 1, source: { bikes: 1 }, state: 'synced' }];
    await expect.poll(() => two.stations.offline.overlay([])).toEqual(shown);
    expect(one.stations.offline.overlay([])).toEqual(shown);
  });

  it('shows documents as they will be, and what was sent until searches find it', async () => {
    const { stations, network, sent } = open();
    const [kept, changed, gone] = await Promise.all([1, 2, 3].map((bikes) => others().create({ bikes })));
    network.isThere = false;
    const hits = [kept!, changed!, gone!];
    await stations.offline.update(changed!.id, { name: 'x' }, { seen: changed! });
    await stations.offline.delete(gone!.id, { seen: gone! });
    const id = await stations.offline.create({ bikes: 4 });
    const shown = stations.offline.overlay(hits);
    expect(shown).toMatchObject([
      { id: kept!.id, source: { bikes: 1 }, state: 'synced', meta: {} },
      { id: changed!.id, source: { bikes: 2, name: 'x' }, state: 'pending' },
      { id, source: { bikes: 4 }, state: 'pending' },
    ]);
    network.isThere = true;
    await sent();
    // The hits are those from before.
    const after = stations.offline.overlay(hits);
    expect(after.map(({ source }) => source)).toEqual(shown.map(({ source }) => source));
    expect(new Set(after.map(({ state }) => state))).toEqual(new Set(['synced']));
    // Another client's change is later than what was sent.
    const later = await others().update(changed!.id, { bikes: 7 });
    expect(stations.offline.overlay([later])).toMatchObject([{ source: { bikes: 7, name: 'x' } }, { id }]);
  });

  it('hits and overlaid documents are what a writer has seen', async () => {
    const conflicts: Conflict[] = [];
    const { stations, network, sent } = open({ onConflict: (each) => conflicts.push(each) }, false);
    const { id } = await others().create({ bikes: 1 }, { refresh: 'wait_for' });
    const { hits } = await others().search({ query: { ids: { values: [id] } } });
    const [shown] = stations.offline.overlay(hits);
    await others().update(id, { bikes: 3 });
    await stations.offline.update(id, { bikes: 2 }, { seen: shown! });
    network.isThere = true;
    await sent();
    expect(conflicts).toMatchObject([{ id, theirs: { bikes: 3 } }]);
    // A document without a version is behind its own unsent creation.
    network.isThere = false;
    const created = await stations.offline.create({ bikes: 4 });
    const added = stations.offline.overlay(hits).find((each) => each.id === created);
    await stations.offline.update(created, { bikes: 5 }, { seen: added! });
    network.isThere = true;
    await sent();
    expect((await others().get(created))?.source).toEqual({ bikes: 5 });
  });

  it('a refused write fails, those behind it wait, and it can be sent again or dropped', async () => {
    const { stations, sent, client } = open();
    const [a, b] = ['absent-1', 'absent-2'];
    let changes = 0;
    const end = client.outbox.subscribe(() => changes++);
    for (const id of [a, b]) {
      await stations.offline.update(id, { bikes: 1 });
      await stations.offline.update(id, { name: 'x' });
    }
    const failed = { state: 'failed', error: { id: 'document.not_found', status: 404 } };
    await expect.poll(() => client.outbox.getSnapshot()).toMatchObject([failed, failed]);
    end();
    expect(changes).toBeGreaterThan(4);
    await others().createOrReplace(a, { tags: [] });
    await stations.offline.retry(a);
    await stations.offline.discard(b);
    await sent();
    expect(await others().get(a)).toMatchObject({ version: 3, source: { bikes: 1, name: 'x', tags: [] } });
    expect(await others().get(b)).toBeNull();
  });

  it('is bounded, and old writes fail', async () => {
    const { stations, network } = open({}, false);
    const large = 'x'.repeat(4_900_000);
    for (let i = 0; i < 4; i++) await stations.offline.create({ name: large });
    const thrown = await stations.offline.create({ name: large }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(OfflineError);
    expect(thrown).toMatchObject({ id: 'offline.full' });
    const { id } = stations.offline.getSnapshot()[0]!;
    await stations.offline.discard(id);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + 7 * DAY_MS + 60_000);
    network.isThere = true;
    const expired = { state: 'failed', error: { id: 'offline.expired' } };
    await expect.poll(() => stations.offline.getSnapshot()).toMatchObject([expired, expired, expired]);
  });

  it('holds 5,000 writes', async () => {
    const { stations } = open({}, false);
    for (let i = 0; i < 5_000; i++) await stations.offline.update('s', { bikes: i });
    await expect(stations.offline.update('s', {})).rejects.toMatchObject({ id: 'offline.full' });
  });

  it('writes belong to their user, and a logout asks before it drops them', async () => {
    const { client, stations, network } = open({}, false);
    const of = (sub: string) => `x.${btoa(JSON.stringify({ sub }))}.x`;
    await client.session.set(of('ada'));
    await stations.offline.create({ bikes: 1 });
    await client.session.set(of('bob'));
    expect(client.outbox.getSnapshot()).toEqual([]);
    await client.logout().catch(() => undefined);
    expect(await client.session.token()).toBeNull();
    await client.session.set(of('ada'));
    expect(client.outbox.getSnapshot()).toHaveLength(1);
    const thrown = await client.logout().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'OfflineError', id: 'offline.not_empty' });
    expect(await client.session.token()).toBe(of('ada'));
    await client.logout({ dropOutbox: true }).catch(() => undefined);
    expect(await client.session.token()).toBeNull();
    await client.session.set(of('ada'));
    expect(client.outbox.getSnapshot()).toEqual([]);
    expect(network.sent).toBe(0);
  });

  it('sends when the connection of realtime is open again', async () => {
    let onState: (state: string) => void = () => undefined;
    const connection = { onState: (listener: typeof onState) => ((onState = listener), () => undefined) };
    let isThere = false;
    let failed = 0;
    const client = createClient<Schema>(server.url, {
      fetch: async (...sent) => {
        if (!isThere) throw new TypeError(`away ${++failed}`);
        return fetch(...sent);
      },
    });
    const extended = Object.assign(client, { connection }).with(offline());
    ends.push(() => extended.outbox.close());
    // The next attempt is far away.
    vi.spyOn(Math, 'random').mockReturnValue(1_000_000);
    await extended.collection('city', 'stations').offline.create({ bikes: 1 });
    await expect.poll(() => failed).toBe(1);
    isThere = true;
    onState('connecting');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(extended.outbox.getSnapshot()).toHaveLength(1);
    onState('open');
    await expect.poll(() => extended.outbox.getSnapshot()).toEqual([]);
  });

  it('a store that cannot be read refuses writes, not the logout', async () => {
    const broken = () => Promise.reject(new Error('no database'));
    const store = { load: broken, add: broken, change: broken };
    const { client, stations } = open({ store });
    await expect(stations.offline.create({})).rejects.toThrow('no database');
    await client.logout();
  });

  it('a write that was executed, and whose answer is no longer kept, is not executed again', async () => {
    const { stations, network, sent } = open({}, false);
    const id = await stations.offline.create({ bikes: 1 });
    const given = await stations.offline.create({ bikes: 2 }, { id: 'given' });
    const { id: changed } = await others().create({ bikes: 1 });
    const seen = { version: 1, source: { bikes: 1 } };
    await stations.offline.update(changed, { bikes: 2 }, { seen });
    // Executed without the keys of the outbox.
    await others().create({ bikes: 1, name: 'by a pipe' }, { id });
    await others().create({ bikes: 2 }, { id: given });
    await others().update(changed, { bikes: 2 });
    network.isThere = true;
    await sent();
    const { documents } = await others().mGet([id, given, changed]);
    expect(documents.map(({ version }) => version)).toEqual([1, 1, 2]);
    // The id is taken.
    await stations.offline.create({ bikes: 3 }, { id: given });
    const failed = { state: 'failed', error: { id: 'document.already_exists' } };
    await expect.poll(() => stations.offline.state(given)).toMatchObject(failed);
  });

  describe('conflicts', () => {
    const base: Station = { name: 'Nation', bikes: 1, at: { x: 1, y: 1 } };
    const mine: Station = { bikes: 2, at: { x: 5 } };
    const theirs: Station = { bikes: 3, tags: ['t'], at: { y: 6 } };

    /** Another client changes (null: deletes) what was changed here while the network was away. */
    async function meet(
      conflicts: OfflineOptions['conflicts'],
      change: (stations: ReturnType<typeof open>['stations'], id: string) => Promise<unknown>,
      other: Station | null = theirs,
    ) {
      const seen: Conflict[] = [];
      const options = { onConflict: (each: Conflict) => seen.push(each) };
      const opened = open({ ...options, ...(conflicts && { conflicts }) }, false);
      const { id } = await others().create(base);
      await change(opened.stations, id);
      if (other === null) await others().delete(id);
      else await others().update(id, other);
      opened.network.isThere = true;
      await opened.sent();
      return { result: (await others().get(id))?.source ?? null, seen };
    }
    const seenBase = { seen: { version: 1, source: base } };
    const update = (stations: ReturnType<typeof open>['stations'], id: string) =>
      stations.offline.update(id, mine, seenBase);
    const remove = (stations: ReturnType<typeof open>['stations'], id: string) => stations.offline.delete(id, seenBase);

    it('merge: fields of both sides; where both changed one, the server wins', async () => {
      const { result, seen } = await meet(undefined, update);
      expect(result).toEqual({ name: 'Nation', bikes: 3, tags: ['t'], at: { x: 5, y: 6 } });
      expect(seen).toMatchObject([{ base, lost: ['bikes'], result }]);
    });

    it('server and client: one side wins', async () => {
      const merged = { ...base, ...theirs, at: { x: 1, y: 6 } };
      expect((await meet({ '*': 'server' }, update)).result).toEqual(merged);
      const { result } = await meet({ 'city/stations': 'client', '*': 'server' }, update);
      expect(result).toEqual({ ...base, ...mine, at: { x: 5, y: 1 } });
    });

    it('a function: its content is written; null deletes', async () => {
      const sum = (was: unknown, my: unknown, their: unknown) => {
        const [a, b, c] = [was, my, their].map((each) => (each as Station).bikes ?? 0);
        return { bikes: b! + c! - a! };
      };
      expect((await meet({ '*': sum }, update)).result).toEqual({ bikes: 4 });
      expect((await meet({ '*': () => null }, update)).result).toBeNull();
    });

    it('a function that throws: the write fails', async () => {
      const refuse = () => {
        throw new Error('ask the user');
      };
      const { id } = await others().create(base);
      await others().update(id, theirs);
      const { stations } = open({ conflicts: { '*': refuse } });
      await update(stations, id);
      const failed = { state: 'failed', error: { message: 'ask the user' } };
      await expect.poll(() => stations.offline.state(id)).toMatchObject(failed);
    });

    it('deletions: the server wins, or the client', async () => {
      const merged = { ...base, ...theirs, at: { x: 1, y: 6 } };
      expect((await meet(undefined, remove)).result).toEqual(merged);
      expect((await meet({ '*': 'client' }, remove)).result).toBeNull();
      expect((await meet(undefined, update, null)).result).toBeNull();
      const { result } = await meet({ '*': 'client' }, update, null);
      expect(result).toEqual({ ...base, ...mine, at: { x: 5, y: 1 } });
      expect((await meet(undefined, remove, null)).result).toBeNull();
    });

    it('the writes behind it are merged, too', async () => {
      const { result, seen } = await meet(undefined, async (stations, id) => {
        await update(stations, id);
        await stations.offline.replace(id, { name: 'Étoile', bikes: 2, at: { x: 5, y: 1 } });
      });
      expect(result).toEqual({ name: 'Étoile', bikes: 3, tags: ['t'], at: { x: 5, y: 6 } });
      expect(seen.map(({ lost }) => lost)).toEqual([['bikes'], []]);
    });

    it('writes behind a create are based on it', async () => {
      const { stations, network, sent } = open({}, false);
      const id = await stations.offline.create(base);
      await stations.offline.update(id, { bikes: 2 });
      await stations.offline.delete(id);
      network.isThere = true;
      await sent();
      expect(await others().get(id)).toBeNull();
    });
  });
});

describe('the outbox of a session', () => {
  const CREDENTIALS = { username: 'ada', password: 'correct horse battery' };
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [localAuth()] });
    const body = { password: CREDENTIALS.password, name: 'Ada' };
    await server.ask('POST', '/users/ada/_createFirstAdmin', body);
  });
  afterAll(() => server.close());

  it('waits for the next login when the session has expired', async () => {
    let isThere = true;
    const client = createClient<Schema>(server.url, {
      fetch: async (...sent) => {
        if (!isThere) throw new TypeError('away');
        return fetch(...sent);
      },
    }).with(offline());
    const stations = client.collection('city', 'stations');
    await client.login('local', CREDENTIALS, { expiresIn: '1s' });
    isThere = false;
    const id = await stations.offline.create({ bikes: 1 });
    const token = await client.session.peek();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    isThere = true;
    await expect.poll(() => client.session.peek()).toBeNull();
    // Not shown to the anonymous user, and not sent.
    expect(client.outbox.getSnapshot()).toEqual([]);
    await client.login('local', CREDENTIALS);
    expect(await client.session.peek()).not.toBe(token);
    await expect.poll(() => client.outbox.getSnapshot()).toEqual([]);
    expect(await stations.get(id)).toMatchObject({ version: 1, meta: { author: 'ada' } });
    client.outbox.close();
  });
});
