import { describe, expect, it } from 'vitest';
import { MemoryChangeLog } from './MemoryChangeLog.test.support.js';
import { openTestRealtime, type TestClient } from './openTestRealtime.test.support.js';
import { SlowReplays } from './SlowReplays.js';

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

async function until(client: TestClient, line: string, notifyLate: () => void): Promise<void> {
  while (!client.lines.includes(line)) {
    notifyLate();
    await turn();
  }
}

describe('a replay to a client that reads slowly (RESUME-17)', () => {
  it('waits for the client, and ends with a gap if too many clients are slower', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    const { cursor } = await realtime.connect().subscribe({}, { mode: 'auto' });
    for (const id of ['a', 'b']) realtime.write(id, {});
    const slow: { client: TestClient; drain: () => void }[] = [];
    for (let n = 0; n < 5; n++) {
      const client = realtime.connect();
      const drained = new Promise<void>((drain) => slow.push({ client, drain }));
      realtime.drains.set(client, drained);
      // Each has a separate reading.
      await client.subscribe({}, { cursor: cursor ?? null });
    }
    const [first, second] = slow.map(({ client }) => client) as [TestClient, TestClient];
    await until(first, 'gap slow_consumer', realtime.notifyLate);
    realtime.write('live', {});
    realtime.notifyLate();
    expect(first.lines).toEqual(['gap slow_consumer', 'create in live 1']);
    expect(second.lines).toEqual([]);
    realtime.drains.clear();
    slow[1]?.drain();
    await until(second, 'resumed', realtime.notifyLate);
    await until(second, 'create in live 1', realtime.notifyLate);
    expect(second.lines).toEqual(['create in a 1 replayed', 'create in b 1 replayed', 'resumed', 'create in live 1']);
    const [gone, last] = slow.slice(3);
    gone?.client.close();
    gone?.drain();
    last?.drain();
    if (last !== undefined) await until(last.client, 'resumed', realtime.notifyLate);
    expect(gone?.client.lines).toEqual([]);
  });

  it('takes the memory of the client that has most', async () => {
    const slow = new SlowReplays();
    const drains: (() => void)[] = [];
    const wait = (address: string) => slow.wait({}, address, new Promise((resolve) => drains.push(resolve)));
    const own = wait('10.0.0.1');
    const others = Array.from({ length: 6 }, () => wait('10.0.0.2'));
    expect(await Promise.all(others.slice(0, 3))).toEqual([false, false, false]);
    for (const drain of drains) drain();
    expect(await Promise.all([own, ...others.slice(3)])).toEqual([true, true, true, true]);
  });

  it('keeps back no more live notifications than all subscriptions together may', async () => {
    const log = new MemoryChangeLog();
    const realtime = openTestRealtime(log);
    const { cursor } = await realtime.connect().subscribe({}, { mode: 'auto' });
    realtime.write('missed', {});
    const drains: (() => void)[] = [];
    const clients = Array.from({ length: 10 }, () => realtime.connect());
    for (const client of clients) {
      realtime.drains.set(client, new Promise((drain) => drains.push(drain)));
    }
    await Promise.all(clients.map((client) => client.subscribe({}, { cursor: cursor ?? null })));
    // Ten times 7 MB.
    for (const id of ['1', '2']) realtime.write(id, { text: 'x'.repeat(3_500_000) });
    realtime.drains.clear();
    for (const drain of drains) drain();
    for (const client of clients) {
      await until(client, 'resumed', realtime.notifyLate);
      const full = client.lines.includes('gap too_much');
      await until(client, full ? 'gap too_much' : 'create in 2 1', realtime.notifyLate);
    }
    const told = clients.filter(({ lines }) => lines.includes('gap too_much'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(10);
  });
});
