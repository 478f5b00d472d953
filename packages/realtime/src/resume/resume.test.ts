import { describe, expect, it } from 'vitest';
import { securityErrors, STORAGE_ENGINE, type JsonObject } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { TOO_MANY_CHANGES } from '../Gap.js';
import { DocumentNotifier } from '../DocumentNotifier.js';
import { GapNotifier } from '../GapNotifier.js';
import { DeliveredPosition } from './DeliveredPosition.js';
import { MemoryChangeLog } from './MemoryChangeLog.test.support.js';
import { AT, openTestRealtime, refusalOf, type TestClient } from './openTestRealtime.test.support.js';

const RED = { equals: { colour: 'red' } };

/** A client with a filter, which has gone, and the position that it knows. */
async function openGone() {
  const log = new MemoryChangeLog();
  const realtime = openTestRealtime(log);
  const first = realtime.connect();
  const { cursor } = await first.subscribe(RED, { mode: 'auto' });
  realtime.write('a', { colour: 'red' });
  realtime.write('b', { colour: 'red' });
  const known = first.received.at(-1)?.cursor ?? '';
  expect(known > (cursor as string)).toBe(true);
  first.close();
  return { ...realtime, log, known };
}

/** Everything pending has expired. */
async function settled({ notifyLate }: { readonly notifyLate: () => void }): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    notifyLate();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** As `settled`, once the subscription has been answered as resumed. */
async function resumed(client: TestClient, realtime: { readonly notifyLate: () => void }) {
  while (!client.received.some(({ action }) => action === 'resumed')) await settled(realtime);
  await settled(realtime);
}

it('a subscription whose connection has been closed in the meantime is refused (RESUME-10)', async () => {
  const realtime = openTestRealtime();
  const client = realtime.connect();
  client.close();
  await expect(client.subscribe()).rejects.toMatchObject({ id: 'core.client_gone' });
  expect(realtime.container.resolve(DocumentNotifier).isListening(AT)).toBe(false);
});

describe('a subscription that resumes', () => {
  it('gets what it missed, marked, then what comes (RESUME-10, RESUME-11)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('a', { colour: 'blue' });
    realtime.write('c', { colour: 'red' });
    realtime.write('d', { colour: 'blue' });
    realtime.write('b', null);
    const client = realtime.connect();
    const answer = await client.subscribe(RED, { cursor: known });
    expect(answer).toMatchObject({ resumed: true, cursor: realtime.log.head() });
    realtime.write('e', { colour: 'red' });
    await resumed(client, realtime);
    realtime.write('f', { colour: 'red' });
    expect(client.lines).toEqual([
      'update out a 2 replayed', 'create in c 1 replayed', 'delete out b 1 replayed', 'resumed',
      'create in e 1', 'create in f 1',
    ]); // prettier-ignore
    const { cursor, result } = client.received.find(({ action }) => action === 'resumed') ?? {};
    expect([cursor, result]).toMatchObject([answer.cursor, { cursor: answer.cursor, count: 3 }]);
  });

  it('gets each document once in the mode state (RESUME-12)', async () => {
    const { known, ...realtime } = await openGone();
    for (const n of [1, 2, 3]) realtime.write('a', { colour: 'red', n });
    realtime.write('c', { colour: 'red' });
    realtime.write('c', null);
    const client = realtime.connect();
    await client.subscribe(RED, { cursor: known, mode: 'state' });
    await resumed(client, realtime);
    expect(client.lines).toEqual(['update in a 4 replayed', 'resumed']);
    // A client that resumed from it, cut off in the middle, would miss the effects that come later.
    expect(client.received[0]).not.toHaveProperty('cursor');
  });

  it('gets the version of a document that was created again, which is lower (RESUME-12, PROTO-81)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('a', { colour: 'red', n: 1 });
    realtime.write('a', null);
    realtime.write('a', { colour: 'red', n: 2 });
    const client = realtime.connect();
    await client.subscribe(RED, { cursor: known, mode: 'state' });
    await resumed(client, realtime);
    expect(client.lines).toEqual(['update in a 1 replayed', 'resumed']);
  });

  it('gets the effect since its own cursor in the mode state, also next to one with another cursor (RESUME-12, RESUME-30)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('c', { colour: 'red' });
    const later = realtime.log.head();
    realtime.write('c', { colour: 'blue' });
    const [client, other] = [realtime.connect(), realtime.connect()];
    await Promise.all([
      other.subscribe(RED, { cursor: known, mode: 'state' }),
      client.subscribe(RED, { cursor: later, mode: 'state' }),
    ]);
    await resumed(client, realtime);
    expect(client.lines).toEqual(['update out c 2 replayed', 'resumed']);
    expect(other.lines).toEqual(['resumed']);
  });

  it('turns to the state where there are more changes than it wants (RESUME-12)', async () => {
    const { known, ...realtime } = await openGone();
    for (const n of [1, 2, 3]) realtime.write('a', { colour: 'red', n });
    const client = realtime.connect();
    await client.subscribe(RED, { cursor: known, maxReplay: 2 });
    await resumed(client, realtime);
    expect(client.lines).toEqual(['update in a 4 replayed', 'resumed']);
    const events = await client.subscribe(RED, { cursor: known, mode: 'events', maxReplay: 2 });
    expect(events).toMatchObject({ resumed: false, gap: { reason: 'too_much' } });
  });

  it('gets neither twice nor late what was notified after the reading (RESUME-11)', async () => {
    const { known, ...realtime } = await openGone();
    const client = realtime.connect();
    const answer = client.subscribe(RED, { cursor: known });
    // Committed before the log is read, notified after it.
    realtime.write('c', { colour: 'red' }, true);
    expect(await answer).toMatchObject({ cursor: realtime.log.head() });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await resumed(client, realtime);
    expect(client.lines).toEqual(['create in c 1 replayed', 'resumed']);
  });

  it('gets only what its options ask for, and no silent write (RESUME-13)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.log.write('silent', { colour: 'red' }, { isSilent: true });
    realtime.write('c', { colour: 'red' });
    realtime.write('a', { colour: 'blue' });
    const client = realtime.connect();
    await client.subscribe(RED, { cursor: known, scope: 'out' });
    await resumed(client, realtime);
    expect(client.lines).toEqual(['update out a 2 replayed', 'resumed']);
  });

  it('may resume where it is live already (RESUME-14)', async () => {
    const realtime = openTestRealtime();
    const client = realtime.connect();
    const { cursor } = await client.subscribe(RED, { mode: 'auto' });
    realtime.write('a', { colour: 'red' });
    await client.subscribe(RED, { cursor: cursor ?? null });
    await resumed(client, realtime);
    realtime.write('b', { colour: 'red' });
    expect(client.lines).toEqual([
      'create in a 1', 'create in a 1 replayed', 'resumed', 'create in b 1',
    ]); // prettier-ignore
  });

  it('ends a live subscription with a notification if it cannot be resumed (RESUME-14)', async () => {
    const { known, ...realtime } = await openGone();
    const client = realtime.connect();
    await client.subscribe(RED);
    realtime.log.changesAfter = () => Promise.reject(new Error('the disk has failed'));
    await expect(client.subscribe(RED, { cursor: known })).rejects.toThrow();
    realtime.write('c', { colour: 'red' });
    expect(client.lines).toEqual(['subscriptionEnded it could not be resumed']);
  });

  it('a connection that resumes from two positions at once receives what follows the earlier one (RESUME-14)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('c', { colour: 'red' });
    const later = realtime.log.head();
    realtime.write('d', { colour: 'red' });
    for (const cursors of [
      [known, later],
      [later, known],
    ]) {
      const client = realtime.connect();
      const subscriptions = cursors.map((cursor) => ({ ...AT, filter: RED, cursor, mode: 'state' }));
      const { subscriptions: answers } = await client.ask('resume', { body: { subscriptions } });
      expect(answers).toMatchObject([{ result: { resumed: true } }, { result: { resumed: true } }]);
      await resumed(client, realtime);
      expect(client.lines).toEqual(['create in c 1 replayed', 'create in d 1 replayed', 'resumed']);
    }
  });

  it('a resume that ends a running replay sends it too, or a gap (RESUME-14)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('c', { colour: 'red' });
    const later = realtime.log.head();
    realtime.write('d', { colour: 'red' });
    const [first, second, third] = [realtime.connect(), realtime.connect(), realtime.connect()];
    for (const client of [first, second, third]) {
      // It reads too slowly for the replay.
      realtime.drains.set(client, new Promise(() => undefined));
      expect(await client.subscribe(RED, { cursor: known })).toMatchObject({ resumed: true });
      await new Promise((resolve) => setTimeout(resolve, 5));
      realtime.drains.delete(client);
      expect(client.lines).toEqual([]);
    }
    await first.subscribe(RED, { cursor: later });
    await resumed(first, realtime);
    expect(first.lines).toEqual(['create in c 1 replayed', 'create in d 1 replayed', 'resumed']);
    expect(await second.subscribe(RED, { cursor: later, mode: 'state', maxReplay: 1 })).toMatchObject({
      resumed: false,
    });
    realtime.log.gap = 'expired';
    expect(await third.subscribe(RED, { cursor: later })).toMatchObject({ resumed: false });
    await settled(realtime);
    realtime.write('e', { colour: 'red' });
    expect(second.lines).toEqual(['gap too_much', 'create in e 1']);
    expect(third.lines).toEqual(['gap expired', 'create in e 1']);
  });

  it.each<[string, (log: MemoryChangeLog) => void, JsonObject]>([
    ['expired', (log) => log.trim(), {}],
    ['wiped', (log) => log.wipe(), {}],
    ['wiped', (log) => log.wipe(), { mode: 'state' }],
    ['not_recorded', (log) => (log.gap = 'not_recorded'), {}],
  ])('receives the gap %s, and is live from the cursor of the answer (RESUME-20)', async (reason, spoil, fields) => {
    const { known, ...realtime } = await openGone();
    realtime.write('c', { colour: 'red' });
    spoil(realtime.log);
    const client = realtime.connect();
    const answer = await client.subscribe(RED, { cursor: known, ...fields });
    expect(answer).toMatchObject({ resumed: false, gap: { reason }, cursor: realtime.log.head() });
    await settled(realtime);
    realtime.write('d', { colour: 'red' });
    expect(client.lines).toEqual(['create in d 1']);
  });

  it('receives a gap if the log is another one (RESUME-20)', async () => {
    const { known } = await openGone();
    const realtime = openTestRealtime(new MemoryChangeLog('e2'));
    const answer = await realtime.connect().subscribe(RED, { cursor: known });
    expect(answer).toMatchObject({ resumed: false, gap: { reason: 'epoch_changed' } });
  });

  it('receives a gap if a server without a change log records nothing (RESUME-20)', async () => {
    const client = openTestRealtime(null).connect();
    const answer = await client.subscribe(RED, { cursor: 'e1.00000001' });
    expect(answer).toMatchObject({ resumed: false, gap: { reason: 'not_recorded' } });
    expect(answer).not.toHaveProperty('cursor');
  });

  it.each(['nonsense', 'e1.99999999'])('refuses the cursor %s, and subscribes nothing (RESUME-3)', async (cursor) => {
    const client = openTestRealtime().connect();
    expect(await refusalOf(client.subscribe(RED, { cursor }))).toMatch(
      /^400 realtime.invalid_cursor: cursor: expected a cursor of this server/,
    );
    const { roomId } = await client.subscribe(RED);
    expect(await client.ask('count', { body: { roomId: roomId ?? null } })).toMatchObject({ count: 1 });
  });
});

describe('realtime.resume', () => {
  it('resumes all subscriptions of a connection, and answers each on its own (RESUME-16)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('c', { colour: 'red' });
    realtime.write('d', { colour: 'blue' });
    const client = realtime.connect();
    const blue = { equals: { colour: 'blue' } };
    const { subscriptions } = await client.ask('resume', {
      body: {
        subscriptions: [
          { ...AT, filter: RED, cursor: known },
          { ...AT, filter: blue, cursor: known, scope: 'in' },
          { ...AT, filter: RED, cursor: 'nonsense' },
          { ...AT, filter: RED, cursor: 7 },
          { ...AT, collection: 'others', filter: { nonsense: 1 } },
        ],
      },
    });
    const short = (subscriptions as JsonObject[]).map(({ status, error, result }) => {
      const { resumed: is } = (result ?? {}) as JsonObject;
      return [status, is ?? (error as JsonObject)['id']].map(String).join(' ');
    });
    expect(short).toEqual([
      '200 true',
      '200 true',
      '400 realtime.invalid_cursor',
      '400 api.invalid_argument',
      '400 realtime.invalid_filter',
    ]);
    expect(JSON.stringify(subscriptions)).toContain('subscriptions[3].cursor');
    while (client.lines.filter((line) => line === 'resumed').length < 2) await settled(realtime);
    expect([...client.lines].sort()).toEqual([
      'create in c 1 replayed',
      'create in d 1 replayed',
      'resumed',
      'resumed',
    ]);
    expect(realtime.log.calls.filter((call) => call.startsWith('changesAfter'))).toHaveLength(1);
  });

  it.each([[{}], [[]], [[1]], [Array.from({ length: 101 }, () => AT)]])(
    'refuses lists of another form (RESUME-16)',
    async (list) => {
      const client = openTestRealtime().connect();
      const body = { subscriptions: list as JsonObject[] };
      expect(await refusalOf(client.ask('resume', { body }))).toMatch(
        /^400 api.invalid_argument: .*subscriptions.*a list of 1 to 100 objects/,
      );
    },
  );

  it('requires the right to subscribe in each place (RESUME-15)', async () => {
    const realtime = openTestRealtime();
    const { security } = realtime;
    security.authorizeTarget = ({}, { collection }) => {
      if (collection === 'secret') throw securityErrors.forbidden({ action: 'realtime:subscribe' } as never);
    };
    const body = { subscriptions: [AT, { ...AT, collection: 'secret', cursor: 'e1.00000000' }] };
    const { subscriptions } = await realtime.connect().ask('resume', { body });
    expect((subscriptions as JsonObject[]).map(({ status }) => status)).toEqual([200, 403]);
  });
});

describe('the position that a heartbeat carries (RESUME-23)', () => {
  it('is that of the last delivered change, and none while a subscription resumes or before a change', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('missed', { colour: 'red' });
    const client = realtime.connect();
    const sent = realtime.container.resolve(DeliveredPosition);
    const { id } = client.connection;
    expect(sent.of(id)).toBeUndefined();
    const answer = client.subscribe(RED, { cursor: known });
    expect(sent.of(id)).toBeUndefined();
    await answer;
    await resumed(client, realtime);
    // The last delivered change is older than 'missed', which was replayed.
    expect(sent.of(id)).toBeUndefined();
    realtime.write('other', { colour: 'blue' });
    expect(sent.of(id)).toBe(realtime.log.head());
    const late = realtime.connect();
    await late.subscribe(RED);
    expect(sent.of(late.connection.id)).toBe(realtime.log.head());
    expect(sent.of('unknown')).toBeUndefined();
  });

  it('has the mark of the right to the documents, and is absent if subscriptions have different ones (RESUME-15)', async () => {
    const { container, connect, security, write, log } = await openGone();
    const mapping = parseMapping({ properties: {} });
    Object.assign(container.resolve<object>(STORAGE_ENGINE), { getMapping: () => mapping });
    const sent = container.resolve(DeliveredPosition);
    const [whole, limited] = [connect(), connect()];
    await whole.subscribe(RED);
    security.documentRight = () => ({ key: 'a part', grants: [] });
    const { cursor } = await limited.subscribe(RED, { mode: 'auto' });
    write('c', { colour: 'red' });
    expect(sent.of(whole.connection.id)).toBe(log.head());
    const mark = (cursor as string).replace(/^[^-]*/, '');
    expect(sent.of(limited.connection.id)).toBe(`${log.head()}${mark}`);
    await whole.subscribe(RED);
    write('d', { colour: 'red' });
    expect(sent.of(whole.connection.id)).toBeUndefined();
  });

  it('comes with the number of notifications that the connection was sent (RESUME-24)', async () => {
    const { known, ...realtime } = await openGone();
    realtime.write('missed', { colour: 'red' });
    const sent = realtime.container.resolve(DeliveredPosition);
    const client = realtime.connect();
    const isCounted = () => expect(sent.countOf(client.connection)).toBe(client.received.length);
    isCounted();
    await client.subscribe(RED, { cursor: known });
    await resumed(client, realtime);
    realtime.write('live', { colour: 'red' });
    await client.subscribe({});
    realtime.write('both', { colour: 'red' });
    isCounted();
    const { roomId } = await client.subscribe({});
    await client.ask('unsubscribe', { roomId: roomId ?? null });
    realtime.write('again', { colour: 'red' });
    isCounted();
    expect(client.received.length).toBe(6);
  });
});

describe('a gap of a live subscription (RESUME-21, RESUME-22)', () => {
  it('has a reason, a message and the position after which nothing is missing', async () => {
    const realtime = openTestRealtime();
    const client = realtime.connect();
    await client.subscribe(RED);
    realtime.write('a', { colour: 'red' });
    realtime.container.resolve(GapNotifier).notifyAll(TOO_MANY_CHANGES);
    // On a busy machine in a later turn of the event loop.
    await expect.poll(() => client.received.length).toBe(2);
    const { cursor } = client.received[0] ?? {};
    expect(client.received[1]?.result).toEqual({
      roomId: expect.any(String) as string,
      ...TOO_MANY_CHANGES,
      cursor,
    });
  });
});

describe('clients that come back at the same time (RESUME-30)', () => {
  it('share one reading of the log, from the lowest cursor that can be read', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    await realtime.connect().subscribe({}, { mode: 'auto' });
    const cursors: string[] = [];
    for (let n = 0; n < 20; n++) {
      cursors.push(log.head());
      realtime.write(`d${n}`, { n });
      if (n === 2) log.trim();
    }
    log.calls.length = 0;
    const clients = cursors.map((cursor, n) => {
      const client = realtime.connect();
      const answer = client.subscribe({ range: { n: { gte: n } } }, { cursor });
      return { client, answer };
    });
    for (const [n, { client, answer }] of clients.entries()) {
      const { gap } = (await answer) as { readonly gap?: JsonObject };
      if (n < 3) expect(gap).toMatchObject({ reason: 'expired' });
      else {
        await resumed(client, realtime);
        const missed = cursors.slice(n).map((_, i) => `create in d${n + i} 1 replayed`);
        expect(client.lines).toEqual([...missed, 'resumed']);
      }
    }
    // The first one, then by halving.
    expect(log.calls.filter((call) => call.startsWith('changesAfter')).length).toBeLessThan(8);
  });

  it('share the next reading while one runs, and nothing is read for those that have gone', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    const { cursor } = await realtime.connect().subscribe({}, { mode: 'auto' });
    realtime.write('a', { colour: 'red' });
    const readings = () => log.calls.filter((call) => call.startsWith('changesAfter')).length;
    let endFirst = (): void => undefined;
    log.reading = new Promise((resolve) => (endFirst = resolve));
    const resume = () => {
      const client = realtime.connect();
      return { client, answer: client.subscribe({}, { cursor: cursor as string }) };
    };
    const first = resume();
    while (readings() === 0) await new Promise((resolve) => setImmediate(resolve));
    const later = [resume()];
    // Longer than resumes wait for each other.
    await new Promise((resolve) => setTimeout(resolve, 60));
    later.push(resume());
    const gone = resume();
    const refusal = refusalOf(gone.answer);
    gone.client.connection.lifetime?.close();
    endFirst();
    for (const { client, answer } of [first, ...later]) {
      expect((await answer).resumed).toBe(true);
      await resumed(client, realtime);
      expect(client.lines).toEqual(['create in a 1 replayed', 'resumed']);
    }
    expect(await refusal).toMatch(/^499 core\.client_gone/);
    expect(readings()).toBe(2);
    const last = resume();
    last.client.connection.lifetime?.close();
    expect(await refusalOf(last.answer)).toMatch(/^499/);
    expect(readings()).toBe(2);
  });
});

describe('the answer to a subscription', () => {
  it('has a cursor where the request names cursor or mode, else the fields of former versions (RESUME-1)', async () => {
    const client = openTestRealtime().connect();
    expect(Object.keys(await client.subscribe(RED))).toEqual(['roomId', 'channel', 'timestamp']);
    const answer = await client.subscribe(RED, { mode: 'auto' });
    expect(answer).toMatchObject({ cursor: 'e1.00000000', resumed: false });
    expect(answer).not.toHaveProperty('gap');
    const joined = await openJoined(client, answer.roomId as string);
    expect(joined).toMatchObject({ cursor: 'e1.00000000', resumed: false });
  });

  it('waits for the writes that began before it without subscribers (RESUME-2)', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    let endWrite = (): void => undefined;
    realtime.flight.unobserved = new Promise((resolve) => (endWrite = resolve));
    const answer = realtime.connect().subscribe(RED, { mode: 'auto' });
    delete realtime.flight.unobserved;
    const second = realtime.connect().subscribe(RED, { mode: 'auto' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.write('a', { colour: 'red' });
    endWrite();
    expect(await answer).toMatchObject({ cursor: log.head() });
    expect(await second).toMatchObject({ cursor: log.head() });
  });

  it('has the collection recorded while it has subscriptions (RESUME-2)', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    const [one, two] = [realtime.connect(), realtime.connect()];
    await one.subscribe(RED);
    await two.subscribe({});
    one.close();
    expect(log.calls).toEqual(['cover things']);
    two.close();
    expect(log.calls).toEqual(['cover things', 'release things']);
  });
});

async function openJoined(client: TestClient, roomId: string): Promise<JsonObject> {
  return client.ask('join', { body: { roomId }, scope: 'in', mode: 'auto', ...AT });
}
