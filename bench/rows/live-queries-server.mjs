// Documents per second through the whole server, with 100,000 subscriptions by query; the peer has the same conditions as
// filters. Both servers are in this process, on the same kinds of documents, one after the other.
import { openKernel } from '../openKernel.mjs';
import { workload } from '../filters/workloads.mjs';
import { MAPPING, toQuery } from './live-queries.mjs';

const AT = { index: 'bench', collection: 'live' };
const CALLERS = 16;

export async function* rows({ rounds, isQuick, size = isQuick ? 1_000 : 100_000 }) {
  for (const name of ['equals', 'and(equals, range)', 'mixed selective']) {
    const work = workload(name, size);
    const sources = work.filters.filter((source) => !source.includes('"regexp"'));
    const sides = {
      ours: await open(sources.map((source) => ({ query: toQuery(JSON.parse(source)) }))),
      peer: await open(sources.map((source) => ({ body: JSON.parse(source) }))),
    };
    const figures = { ours: [], peer: [] };
    const notified = { ours: 0, peer: 0 };
    const count = isQuick ? 200 : 3_000;
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
        const [perSecond, notifications] = await write(sides[side], work.documents, count, round);
        if (round < 0) continue;
        figures[side].push(perSecond);
        notified[side] += notifications;
      }
    }
    for (const { server } of Object.values(sides)) await server.close();
    if (notified.ours !== notified.peer)
      throw new Error(`${name}: ${notified.ours} and ${notified.peer} notifications`);
    yield {
      title: `${name}, ${sources.length.toLocaleString('en')} subscriptions`,
      unit: 'documents/s of processor time',
      ...figures,
      target: '≥ 0.7',
      note: `${(notified.ours / rounds / count).toFixed(1)} notifications/document`,
    };
  }
}

async function open(tests) {
  const server = await openKernel({ realtime: { maxSubscriptionBytes: 2 ** 34 } });
  const side = { server, notified: 0 };
  await server.request({ controller: 'collection', action: 'create', ...AT, body: MAPPING });
  for (const test of tests) await server.kernel.subscribe({ ...AT, ...test }, () => void side.notified++);
  return side;
}

/** Creates documents. @returns documents per second of processor time of all threads, and the notifications */
async function write(side, documents, count, round) {
  side.notified = 0;
  let next = 0;
  const start = process.cpuUsage();
  const run = async () => {
    for (let n = next++; n < count; n = next++) {
      const body = JSON.parse(documents[n % documents.length]);
      const _id = `r${round}-${n}`;
      await side.server.request({ controller: 'document', action: 'create', ...AT, _id, body });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, run));
  const { user, system } = process.cpuUsage(start);
  return [(1e6 * count) / (user + system), side.notified];
}
