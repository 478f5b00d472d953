import { describe, expect, it } from 'vitest';
import { HOOKS, Lifetime, securityErrors, type Connection, type JsonObject } from '@millrace/kernel';
import { MemoryChangeLog } from '../resume/MemoryChangeLog.test.support.js';
import { AT, openTestRealtime, refusalOf, type TestClient } from '../resume/openTestRealtime.test.support.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { WaitingPolls } from './WaitingPolls.js';

const RED = { equals: { colour: 'red' } };

interface Change {
  readonly action: string;
  readonly scope: string;
  readonly replayed: true;
  readonly result: { readonly _id: string; readonly _version: number };
}

interface Answer {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly upToDate: boolean;
}

function open(log: MemoryChangeLog | null = new MemoryChangeLog()) {
  const realtime = openTestRealtime(log);
  const client = realtime.connect();
  const poll = async (fields: JsonObject = {}) =>
    (await client.ask('changes', { ...AT, filter: RED, ...fields })) as unknown as Answer;
  const rooms = realtime.container.resolve(RoomTable);
  /** Resolves once a poll waits. */
  const waiting = async () => {
    while ([...rooms.all()].length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...realtime, client, poll, rooms, waiting, log };
}

/** The recorded changes of an answer, short. */
function lines({ changes }: Answer): readonly string[] {
  return changes.map(({ action, scope, result: { _id, _version }, replayed }) => {
    return `${action} ${scope} ${_id} ${_version} ${String(replayed)}`;
  });
}

describe('a poll', () => {
  it('returns the position without a cursor, then what changed after it (POLL-1, POLL-2)', async () => {
    const { poll, write } = open();
    const first = await poll();
    expect(first).toEqual({ changes: [], cursor: expect.any(String) as string, upToDate: true });
    write('a', { colour: 'red' });
    write('b', { colour: 'blue' });
    write('a', { colour: 'blue' });
    const second = await poll({ cursor: first.cursor });
    expect(lines(second)).toEqual(['create in a 1 true', 'update out a 2 true']);
    expect(second.upToDate).toBe(true);
    expect(await poll({ cursor: second.cursor })).toMatchObject({ changes: [], upToDate: true });
    const out = await poll({ cursor: first.cursor, scope: 'out' });
    expect(lines(out)).toEqual(['update out a 2 true']);
  });

  it('returns all changes that are still recorded from the position `oldest` on (POLL-11)', async () => {
    const { poll, write, log } = open();
    write('a', { colour: 'red' });
    log?.trim();
    write('b', { colour: 'red' });
    const first = await poll({ cursor: 'oldest' });
    expect(lines(first)).toEqual(['create in b 1 true']);
    expect(lines(await poll({ cursor: first.cursor }))).toEqual([]);
    await expect(open(null).poll({ cursor: 'oldest' })).rejects.toMatchObject({ id: 'realtime.gap' });
  });

  it('has the collection recorded, also without subscriptions (POLL-1)', async () => {
    const log = new MemoryChangeLog();
    const { poll, client } = open(log);
    await poll();
    expect(log.calls).toEqual(['cover things', 'release things']);
    await client.subscribe();
    await poll();
    expect(log.calls).toEqual(['cover things', 'release things', 'cover things']);
  });

  it('leaves it to the first subscription to wait for writes that nothing observes (RESUME-2)', async () => {
    const log = new MemoryChangeLog();
    const { poll, connect, flight } = open(log);
    const { cursor } = await poll();
    const polled = poll({ cursor });
    // It reads the log, and is no subscription.
    while (!log.calls.some((call) => call.startsWith('changesAfter')))
      await new Promise((resolve) => setImmediate(resolve));
    let endWrite = (): void => undefined;
    flight.unobserved = new Promise((resolve) => (endWrite = resolve));
    let isAnswered = false;
    const answer = connect()
      .subscribe(RED, { mode: 'auto' })
      .then(() => (isAnswered = true));
    await polled;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isAnswered).toBe(false);
    endWrite();
    await answer;
  });

  it('waits for writes that nothing observes before it waits for a change (POLL-4)', async () => {
    const { poll, flight, log, waiting } = open();
    const { cursor } = await poll();
    let endWrite = (): void => undefined;
    flight.unobserved = new Promise((resolve) => (endWrite = resolve));
    const polled = poll({ cursor, wait: '60s' });
    await waiting();
    // Not notified: the write began before the poll was a member.
    log?.write('a', { colour: 'red' });
    endWrite();
    expect(lines(await polled)).toEqual(['create in a 1 true']);
  });

  it('returns at most 1,000 changes, and continues (POLL-3)', async () => {
    const { poll, write } = open();
    const { cursor } = await poll();
    for (let n = 0; n < 1_200; n++) write(`d${n}`, { colour: 'red' });
    const first = await poll({ cursor });
    expect([first.changes.length, first.upToDate]).toEqual([1_000, false]);
    const second = await poll({ cursor: first.cursor });
    expect([second.changes.length, second.upToDate]).toEqual([200, true]);
    const ids = [...first.changes, ...second.changes].map(({ result }) => result._id);
    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, n) => `d${n}`));
  });

  it('returns at most about a megabyte (POLL-3)', async () => {
    const { poll, write } = open();
    const { cursor } = await poll();
    for (let n = 0; n < 5; n++) write(`d${n}`, { colour: 'red', text: 'x'.repeat(400_000) });
    const first = await poll({ cursor });
    expect([first.changes.length, first.upToDate]).toEqual([3, false]);
    expect(lines(await poll({ cursor: first.cursor }))).toHaveLength(2);
  });

  it('waits for a change that matches, and for no other (POLL-4)', async () => {
    const { poll, write, waiting, rooms } = open();
    const { cursor } = await poll();
    const polled = poll({ cursor, wait: '60s' });
    await waiting();
    write('b', { colour: 'blue' });
    write('a', { colour: 'red' });
    expect(lines(await polled)).toEqual(['create in a 1 true']);
    expect([...rooms.all()]).toEqual([]);
  });

  it('does not miss a change between the reading and the waiting (POLL-4)', async () => {
    const { poll, write, waiting } = open();
    const { cursor } = await poll();
    const polled = poll({ cursor, wait: '60s' });
    await waiting();
    // The poll has become a member, and its second reading has not begun.
    write('a', { colour: 'red' });
    expect(lines(await polled)).toEqual(['create in a 1 true']);
  });

  it('answers without changes after the time, from a later position (POLL-4)', async () => {
    const { poll, write, waiting, rooms } = open();
    const { cursor } = await poll();
    const polled = poll({ cursor, wait: '100ms' });
    await waiting();
    write('b', { colour: 'blue' });
    const answer = await polled;
    expect(answer).toMatchObject({ changes: [], upToDate: true });
    expect(answer.cursor > cursor).toBe(true);
    expect([...rooms.all()]).toEqual([]);
  });

  it('is counted in its room while it waits (POLL-5)', async () => {
    const { poll, write, waiting, connect } = open();
    const { cursor } = await poll();
    const polled = poll({ cursor, wait: '60s' });
    await waiting();
    const other = connect();
    await other.subscribe(RED, { users: 'out' });
    write('a', { colour: 'red' });
    await polled;
    expect(other.lines).toContain('unsubscribe out');
  });

  it('ends when the client goes or the server stops (POLL-6)', async () => {
    const log = new MemoryChangeLog();
    const { poll, client, waiting, rooms, container } = open(log);
    const { cursor } = await poll();
    const lifetime = new Lifetime();
    (client as unknown as { connection: Connection }).connection = {
      ...client.connection,
      lifetime,
    };
    const gone = poll({ cursor, wait: '60s' });
    await waiting();
    // Its second reading has begun.
    while (log.calls.filter((call) => call.startsWith('changesAfter')).length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    lifetime.close();
    expect((await gone).changes).toEqual([]);
    expect([...rooms.all()]).toEqual([]);

    await container.resolve(WaitingPolls).start();
    (client as unknown as { connection: Connection }).connection = { ...client.connection, lifetime: new Lifetime() };
    const stopped = poll({ cursor, wait: '60s' });
    await waiting();
    container.resolve(HOOKS).emit('server.stopping', {});
    expect((await stopped).changes).toEqual([]);
  });

  it('needs the right to subscribe (POLL-7)', async () => {
    const { poll, security } = open();
    const seen: string[] = [];
    security.authorizeTarget = (_, { controller, action, index, collection }) => {
      seen.push(`${controller}.${action} ${index}/${collection}`);
      throw securityErrors.forbidden({ action: 'realtime.subscribe', target: '' } as never);
    };
    expect(await refusalOf(poll())).toMatch(/^403 security\.forbidden/);
    expect(seen).toEqual(['realtime.subscribe shop/things']);
  });

  it('names the gap (POLL-8)', async () => {
    const log = new MemoryChangeLog();
    const { poll, write } = open(log);
    const { cursor } = await poll();
    write('a', { colour: 'red' });
    log.gap = 'expired';
    expect(await refusalOf(poll({ cursor }))).toBe(
      '410 realtime.gap: Changes are missing: the changes after the cursor are no longer in the change log',
    );
    const details = await poll({ cursor }).catch((error: unknown) => (error as { details: unknown }).details);
    expect(details).toEqual({ reason: 'expired', cursor: log.head() });
    const other = open(null);
    expect(await refusalOf(other.poll())).toMatch(/^410 realtime\.gap/);
  });

  it('refuses malformed arguments (POLL-9)', async () => {
    const { poll } = open();
    expect(await refusalOf(poll({ cursor: 'x' }))).toMatch(/^400 realtime\.invalid_cursor: cursor:/);
    expect(await refusalOf(poll({ filter: '{"equals":' }))).toMatch(/^400 .*filter.*as a string/);
    expect(await refusalOf(poll({ filter: { nosuch: 1 } }))).toMatch(/^400 realtime\.invalid_filter/);
    for (const wait of ['20', '61s', '2m', '-1s', 'soon', '1h']) {
      expect(await refusalOf(poll({ wait }))).toMatch(/^400 .*wait.*from 0s to 60s/);
    }
    expect(await refusalOf(poll({ body: RED }))).toMatch(
      /^400 .*either the argument "filter", the argument "query" or a body/,
    );
  });

  it('takes the filter as an object, as JSON and as the body', async () => {
    const { poll, write } = open();
    const { cursor } = await poll();
    write('a', { colour: 'red' });
    write('b', { colour: 'blue' });
    for (const fields of [{ filter: RED }, { filter: JSON.stringify(RED) }, { filter: null, body: RED }]) {
      expect(lines(await poll({ cursor, ...fields }))).toEqual(['create in a 1 true']);
    }
  });
});

describe('polls of several clients (POLL-10)', () => {
  const LARGE = { or: Array.from({ length: 400 }, (_, n) => ({ equals: { [`field${n}`]: `value ${n}` } })) };
  const large = (n: number) => ({ or: [...LARGE.or, { equals: { n } }] });
  const ask = (client: TestClient, fields: JsonObject) =>
    client.ask('changes', { ...AT, ...fields }) as unknown as Promise<Answer>;

  it('are answered while large filters of another one are read', async () => {
    const log = new MemoryChangeLog();
    const { connect, poll, write } = open(log);
    const { cursor } = await poll();
    write('a', { colour: 'red' });
    let endReading = (): void => undefined;
    log.reading = new Promise((resolve) => (endReading = resolve));
    const readings = () => log.calls.filter((call) => call.startsWith('changesAfter')).length;
    const others = Array.from({ length: 5 }, (_, n) => ask(connect('10.0.0.1'), { filter: large(n), cursor }));
    while (readings() === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
    log.reading = undefined;
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late'));
    const own = poll({ cursor });
    expect(await Promise.race([own, late])).not.toBe('late');
    expect(lines(await own)).toEqual(['create in a 1 true']);
    endReading();
    for (const answer of await Promise.all(others)) expect(answer.changes).toEqual([]);
  });

  it('are read in the turns of their clients', async () => {
    const log = new MemoryChangeLog();
    const { connect, poll, write } = open(log);
    const { cursor } = await poll();
    write('a', { colour: 'red' });
    const { changesAfter } = log;
    const steps: number[] = [];
    let readings = 0;
    log.changesAfter = async (name, after, limits) => {
      const { pace } = limits;
      const number = readings++;
      for (let n = 0; n < 10; n++) {
        await pace?.rest();
        // Uses up the slice.
        while (pace?.isDue() === false);
        steps.push(number);
      }
      return changesAfter.call(log, name, after, limits);
    };
    await Promise.all([0, 1].map((n) => ask(connect(`10.0.0.${n}`), { filter: large(n), cursor })));
    expect(new Set(steps.slice(0, 5)).size).toBe(2);
  });

  it('keep few compiled filters in memory at a time', async () => {
    const log = new MemoryChangeLog();
    const { connect, poll, write } = open(log);
    const { cursor } = await poll();
    write('a', { n: 3 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => ask(connect(), { filter: large(n), cursor })),
    );
    expect(answers.map(({ changes }) => changes.length).indexOf(1)).toBe(3);
    const readings = log.calls.filter((call) => call.startsWith('changesAfter'));
    expect(readings.length).toBeGreaterThan(1);
    expect(readings.length).toBeLessThan(20);
  });

  it('are answered first if they have missed little', async () => {
    const { connect, poll, write } = open();
    const { cursor } = await poll();
    for (let n = 0; n < 1_500; n++) write(`d${n}`, { colour: 'red' });
    const near = await poll({ cursor: 'e1.00001499' });
    const answered: string[] = [];
    const polls = [cursor, near.cursor, 'e1.00001499'].map(async (from, n) => {
      const { changes } = await ask(connect(`10.0.0.${n}`), { filter: RED, cursor: from });
      answered.push(`${n}: ${changes.length}`);
    });
    await Promise.all(polls);
    expect(answered.at(-1)).toBe('0: 1000');
  });
});
