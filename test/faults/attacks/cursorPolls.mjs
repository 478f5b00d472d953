import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const CONNECTIONS = 500;
const CONDITIONS = 500;
const DOCUMENTS = 5_000;
const HONEST_EVERY_MS = 100;
const HONEST_GOAL_MS = 250;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true } },
    realtime: { actions: { subscribe: true } },
  },
};

/**
 * Polls of 500 connections from a cursor with 5,000 changes after it, each with another filter of 500 conditions. The
 * p99 of another user's polls of the same collection must be below 250 ms.
 */
export const cursorPolls = {
  finding: 'S8',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    const { cursor } = await server.call('GET', '/rooms/all/_changes');
    const bulkData = Array.from({ length: DOCUMENTS }, (_, n) => [{ create: {} }, { n, text: `note ${n}` }]).flat();
    await server.call('POST', '/rooms/all/_bulk', { bulkData });
    return { ...(await server.account('mallory', ROLE)), cursor };
  },
  async before(honest, server) {
    const { token } = await server.account('reader', ROLE);
    const headers = { authorization: `Bearer ${token}` };
    const begun = { times: [], failures: 0, isOver: false };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const poll = async (query) => {
      const path = `/rooms/all/_changes${query}`;
      const { status, envelope } = await honest.http('GET', path, { headers, agent });
      if (status !== 200) begun.failures++;
      return envelope.result;
    };
    const { cursor } = await poll('');
    begun.ended = (async () => {
      while (!begun.isOver) {
        const startMs = performance.now();
        await poll(`?cursor=${cursor}`).catch(() => begun.failures++);
        begun.times.push(performance.now() - startMs);
        await sleep(HONEST_EVERY_MS);
      }
      agent.destroy();
    })();
    return begun;
  },
  async run(attacker) {
    const { token, cursor } = attacker.prepared;
    const call = attacker.httpCaller(CONNECTIONS);
    let number = 0;
    await attacker.crowd(CONNECTIONS, async () => {
      attacker.sentCount++;
      const own = number++;
      const or = Array.from({ length: CONDITIONS }, (_, n) => ({ equals: { [`field${n}`]: `${own}-${n}` } }));
      const path = `/rooms/all/_changes?cursor=${cursor}`;
      attacker.count(`poll ${await call('POST', path, { token, body: { or } })}`);
    });
  },
  async check({ begun }) {
    begun.isOver = true;
    await begun.ended;
    const times = begun.times.toSorted((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)];
    if (begun.failures > 0) throw new Error(`${begun.failures} polls of the honest client failed`);
    if (!(p99 < HONEST_GOAL_MS)) throw new Error(`p99 of honest polls ${Math.round(p99)} ms`);
  },
};
