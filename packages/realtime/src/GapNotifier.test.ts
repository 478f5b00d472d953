import { describe, expect, it } from 'vitest';
import type { Cursor, JsonObject } from '@millrace/kernel';
import { Delivery } from './Delivery.js';
import { COSTLY_PATTERNS, TOO_MANY_CHANGES } from './Gap.js';
import { GapNotifier } from './GapNotifier.js';
import { DeliveredPosition } from './resume/DeliveredPosition.js';
import { MemoryChangeLog } from './resume/MemoryChangeLog.test.support.js';
import { AT, openTestRealtime, type TestClient } from './resume/openTestRealtime.test.support.js';

const RED = { equals: { colour: 'red' } };

/** A server whose queue of notifications is full during some writes. */
function openOverloaded(log = new MemoryChangeLog()) {
  const realtime = openTestRealtime(log);
  const gaps = realtime.container.resolve(GapNotifier);
  const delivery = realtime.container.resolve(Delivery);
  let isFull = false;
  Object.defineProperty(delivery, 'isFull', { get: () => isFull });
  const writeWhileFull = (id: string) => {
    isFull = true;
    realtime.write(id, { colour: 'red' });
    isFull = false;
  };
  return { ...realtime, log, gaps, writeWhileFull };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

async function until(client: TestClient, line: string, count: number): Promise<void> {
  while (client.lines.filter((each) => each === line).length < count) await turn();
}

const GAP = 'gap too_much';

describe('a subscription that loses changes (RESUME-21)', () => {
  it('receives nothing newer than a loss before its gap, although gaps come once a second', async () => {
    const realtime = openOverloaded();
    const [client, kept] = [realtime.connect(), realtime.connect()];
    const sent = realtime.container.resolve(DeliveredPosition);
    for (const each of [client, kept]) await each.subscribe(RED, { mode: 'auto' });
    realtime.write('a', { colour: 'red' });
    realtime.writeWhileFull('lost 1');
    realtime.write('b', { colour: 'red' });
    realtime.writeWhileFull('lost 2');
    realtime.write('c', { colour: 'red' });
    const isTold = client.lines.filter((line) => line === GAP).length === 2;
    // A slow machine may have taken a second.
    if (!isTold) {
      expect(client.lines).toEqual(['create in a 1', GAP, 'create in b 1']);
      expect(sent.of(client.connection.id)).toBeUndefined();
    }
    const known = client.received.findLast(({ cursor }) => cursor !== undefined)?.cursor;
    client.close();
    await until(kept, GAP, 2);
    realtime.write('d', { colour: 'red' });
    expect(kept.lines.slice(3)).toEqual([GAP, ...(isTold ? ['create in c 1'] : []), 'create in d 1']);
    expect(sent.of(kept.connection.id)).toBe(realtime.log.head());
    if (isTold) return;
    const back = realtime.connect();
    await back.subscribe(RED, { cursor: known as Cursor });
    await until(back, 'resumed', 1);
    expect(back.lines).toEqual([
      'create in lost 2 1 replayed',
      'create in c 1 replayed',
      'create in d 1 replayed',
      'resumed',
    ]);
  });

  it('receives what is older than the loss, and waits for a position that comes late', async () => {
    const log = new MemoryChangeLog();
    const realtime = openOverloaded(log);
    const client = realtime.connect();
    await client.subscribe(RED, { mode: 'auto' });
    const head = log.head.bind(log);
    let answer: ((cursor: Cursor) => void) | undefined;
    Object.assign(log, { head: () => new Promise((resolve) => (answer = resolve)) });
    realtime.container.resolve(Delivery).inOrder(() => {
      realtime.write('a', { colour: 'red' });
      realtime.writeWhileFull('lost');
      realtime.write('b', { colour: 'red' });
    });
    await expect.poll(() => answer).toBeDefined();
    expect(client.lines).toEqual(['create in a 1']);
    answer?.(head());
    await until(client, GAP, 1);
    realtime.write('c', { colour: 'red' });
    expect(client.lines).toEqual(['create in a 1', GAP, 'create in c 1']);
  });

  it('receives what follows a truncate, although another one came before it', async () => {
    const realtime = openTestRealtime(new MemoryChangeLog());
    const client = realtime.connect();
    await client.subscribe(RED);
    const gaps = realtime.container.resolve(GapNotifier);
    for (let n = 0; n < 2; n++) gaps.notifyWiped(AT);
    realtime.write('a', { colour: 'red' });
    // On a busy machine in a later turn of the event loop.
    await expect.poll(() => client.lines).toEqual(['gap wiped', 'gap wiped', 'create in a 1']);
  });

  it('receives the changes of other collections, and all changes without a change log', async () => {
    const realtime = openOverloaded();
    const client = realtime.connect();
    await client.subscribe(RED);
    for (let n = 0; n < 2; n++) realtime.gaps.notifyCollection({ ...AT, collection: 'other' }, TOO_MANY_CHANGES);
    realtime.write('a', { colour: 'red' });
    expect(client.lines).toEqual(['create in a 1']);
    const unrecorded = openTestRealtime(null);
    const live = unrecorded.connect();
    await live.subscribe({});
    for (let n = 0; n < 2; n++) unrecorded.container.resolve(GapNotifier).notifyCollection(AT, TOO_MANY_CHANGES);
    unrecorded.passOn({
      kind: 'document',
      cursor: '',
      id: 'a',
      before: null,
      atMs: 5,
      origin: null,
      isSilent: false,
      after: { source: {}, version: 1, meta: { createdAt: null, updatedAt: null, author: null, updater: null } },
    });
    expect(live.lines).toEqual([GAP, 'create in a 1']);
  });
});

describe('filters whose patterns take too many steps', () => {
  it('receive a gap for each document before anything newer; filters without patterns are not affected', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    const [hostile, pattern, plain] = [realtime.connect(), realtime.connect(), realtime.connect()];
    for (let n = 0; n < 12; n++) {
      await hostile.subscribe({ regexp: { t: `(a|b)*a(a|b){${40 + n}}[cz]` } });
    }
    await pattern.subscribe({ and: [RED, { not: { regexp: { s: 'x' } } }] });
    const { cursor } = await plain.subscribe(RED, { mode: 'auto' });
    let seed = 7;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const t = Array.from({ length: 60_000 }, () => 'ab'.charAt(next() & 1)).join('');
    const source: JsonObject = { t, s: 'y', colour: 'red' };
    for (const id of ['1', '2']) realtime.write(id, source);
    realtime.write('3', { colour: 'red' });
    const told = pattern.lines.filter((line) => line.startsWith('gap') || line.includes(' 3 '));
    expect(told).toEqual([GAP, GAP, 'create in 3 1']);
    expect(pattern.received[0]?.result).toMatchObject(COSTLY_PATTERNS);
    const created = ['create in 1 1', 'create in 2 1', 'create in 3 1'];
    expect(plain.lines).toEqual(created);
    plain.close();
    // The same when they resume.
    const answers = [plain, pattern].map((_, n) => {
      const client = realtime.connect();
      const filter = n === 0 ? RED : { regexp: { t: `(a|b)*a(a|b){40}[cz]` } };
      return { client, answer: client.subscribe(filter, { cursor: cursor ?? null }) };
    });
    for (let n = 0; n < 12; n++) {
      const filter = { regexp: { t: `(a|b)*a(a|b){${40 + n}}[cz]` } };
      void realtime.connect().subscribe(filter, { cursor: cursor ?? null });
    }
    const [first, second] = answers;
    expect(await second?.answer).toMatchObject({ resumed: false, gap: { reason: 'too_much' } });
    expect(await first?.answer).toMatchObject({ resumed: true });
    if (first !== undefined) await until(first.client, 'resumed', 1);
    expect(first?.client.lines).toEqual([...created.map((line) => `${line} replayed`), 'resumed']);
  });
});
