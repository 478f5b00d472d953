// Writes per second of processor time with 1,000 different followed searches; the peer has as many subscriptions by the same
// queries. Then 1,000 searches that find 10 documents each, in a large collection and in one of 10,000 documents, and
// 10,000 followers of one search. `--documents 1000000`.
import { CountingProtocol } from '../CountingProtocol.mjs';
import { openKernel } from '../openKernel.mjs';

const AT = { index: 'bench', collection: 'stations' };
const SMALL = 10_000;
const VIEWS = 1_000;
const CALLERS = 16;
const FEW = 10;
const MAPPING = {
  properties: {
    group: { type: 'keyword' },
    bikes: { type: 'integer' },
    name: { type: 'text' },
  },
};
const LIMITS = { maxChannelsPerConnection: 20_000, maxSubscriptionBytes: 2 ** 34 };

export async function* rows({ rounds, isQuick, documentCount = isQuick ? 20_000 : 100_000 }) {
  const count = isQuick ? 500 : 5_000;
  const sides = {
    ours: await open(documentCount, follow),
    peer: await open(documentCount, subscribe),
    large: await open(documentCount, follow, documentCount / FEW),
    small: await open(SMALL, follow, SMALL / FEW),
  };
  const figures = { ours: [], peer: [], large: [], small: [] };
  for (let round = -1; round < rounds; round++) {
    const names = Object.keys(sides);
    for (const name of round % 2 === 0 ? names : names.reverse()) {
      const perSecond = await write(sides[name], count, round);
      if (round >= 0) figures[name].push(perSecond);
    }
  }
  for (const { server } of Object.values(sides)) await server.close();
  const unit = 'writes/s of processor time';
  const size = documentCount.toLocaleString('en');
  const { ours, peer, large, small } = figures;
  yield { title: `${VIEWS} followed searches, ${size} documents`, unit, ours, peer, target: '≥ 0.8' };
  yield { title: `${FEW} hits each, and with 10,000 documents`, unit, ours: large, peer: small, target: '≥ 0.8' };
  yield await oneView(isQuick ? 200 : 10_000, isQuick ? 50 : 500);
} // prettier-ignore

const searchOf = (group) => ({
  query: { bool: { filter: { term: { group: `g${group}` } } } },
  sort: [{ bikes: 'asc' }],
  size: 10,
});

function follow(request, group) {
  return request({ controller: 'realtime', action: 'follow', ...AT, body: searchOf(group), strict: true });
}

function subscribe(request, group) {
  const { query } = searchOf(group);
  return request({ controller: 'realtime', action: 'subscribe', ...AT, query });
}

function documentOf(n, groupCount) {
  const [group, bikes] = [n % groupCount, (n * 7_919) % 1_000];
  return { group: `g${group}`, bikes, name: `station ${n} of the group ${group}` };
}

/** @param groupCount the first 1,000 are searched for */
async function open(documentCount, begin, groupCount = VIEWS) {
  const protocol = new CountingProtocol();
  const server = await openKernel({ realtime: LIMITS }, [protocol.plugin]);
  await server.request({ controller: 'collection', action: 'create', ...AT, body: MAPPING });
  for (let from = 0; from < documentCount; from += 5_000) {
    const numbers = Array.from({ length: Math.min(5_000, documentCount - from) }, (_, i) => from + i);
    const bulkData = numbers.flatMap((n) => [{ index: { _id: `s${n}` } }, documentOf(n, groupCount)]);
    await server.request({ controller: 'bulk', action: 'import', ...AT, body: { bulkData } });
  } // prettier-ignore
  const request = protocol.connect();
  for (let group = 0; group < VIEWS; group++) await begin(request, group);
  return { server, protocol, documentCount, groupCount };
}

/** Replaces documents that are searched for. @returns writes per second of processor time of all threads */
async function write({ server, documentCount, groupCount }, count, round) {
  let next = 0;
  const start = process.cpuUsage();
  const run = async () => {
    for (let i = next++; i < count; i = next++) {
      const place = (i * 104_729) % ((documentCount / groupCount) * VIEWS);
      const n = (place % VIEWS) + Math.floor(place / VIEWS) * groupCount;
      const body = { ...documentOf(n, groupCount), bikes: (i * 31 + round * 17) % 1_000 };
      await server.request({ controller: 'document', action: 'createOrReplace', ...AT, _id: `s${n}`, body });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, run));
  const { user, system } = process.cpuUsage(start);
  return (1e6 * count) / (user + system);
}

/** Many connections follow the same search. */
async function oneView(followerCount, count) {
  const protocol = new CountingProtocol();
  const server = await openKernel({ realtime: LIMITS }, [protocol.plugin]);
  await server.request({ controller: 'collection', action: 'create', ...AT, body: MAPPING });
  for (let n = 0; n < followerCount; n++) await follow(protocol.connect(), 0);
  const before = protocol.publishedCount;
  for (let n = 0; n < count; n++) {
    const body = { group: 'g0', bikes: count - n, name: 'first' };
    await server.request({ controller: 'document', action: 'create', ...AT, _id: `n${n}`, body });
  }
  const encoded = (protocol.publishedCount - before) / count;
  await server.close();
  const title = `${followerCount.toLocaleString('en')} followers of one search`;
  return { title, unit: 'encodings/change', ours: [encoded], target: '1' };
}
