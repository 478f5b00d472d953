// Requests of the same meaning to us and to another server, in bursts of 32 on open connections: requests per second, the
// processor time of the server's process for each, and the p99 of the time until the answer.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documentSource, MAPPING } from './documents.mjs';
import { inTurn } from './inTurn.mjs';
import { openRawHttp } from './peers/rawHttp.mjs';
import { quantile } from './quantile.mjs';
import { ServerProcess } from './ServerProcess.mjs';

const SERVER = fileURLToPath(new URL('../packages/server/bin/millrace.js', import.meta.url));
const BURST = 32;
const DOCUMENTS = 20_000;
const BATCH = 1_000;
const TICKS_PER_SECOND = 100;

/**
 * @param peer `{ name, pid, port, create, idOf, get, update, search, now?, bulk? }`: its process and its requests
 *   `[method, path, body]`; `idOf` reads the id in the answer of a creation
 */
export async function* sameRequests(peer, { rounds, isQuick, only }) {
  const server = new ServerProcess();
  await server.start(SERVER);
  const sides = {
    ours: openSide({ ...OURS, port: server.ports.http, pid: server.process.pid }),
    peer: openSide(peer),
  };
  const { ours } = sides;
  try {
    await ours.send(['PUT', '/bench/documents', MAPPING]);
    const documents = documentSource(3);
    const count = isQuick ? 2_000 : DOCUMENTS;
    const filling = Array.from({ length: count }, () => documents.make());
    for (const side of Object.values(sides)) await side.fill(filling);
    // The first search builds the index.
    await ours.send(ours.search({ status: '', low: 0, high: 0 }));
    for (const { title, size, toRequest, quick = BURST * 4 } of scenarios(peer)) {
      if (only !== undefined && !title.includes(only)) continue;
      const [rate, cost, slowest] = [both(), both(), both()];
      const run = (side) => () => side.measure(isQuick ? quick : size, toRequest(side));
      for (let round = -1; round < rounds; round++) {
        const [mine, theirs] = await inTurn(round, { ours: run(ours), peer: run(sides.peer) });
        // The first round warms up.
        if (round < 0) continue;
        for (const [name, figure] of [
          ['ours', mine],
          ['peer', theirs],
        ]) {
          rate[name].push(figure.perSecond);
          cost[name].push(figure.cpuUs);
          slowest[name].push(figure.p99Ms);
        }
      }
      yield { title: `${title}: us and ${peer.name}`, unit: 'requests/s', ...rate };
      yield { title: `… processor time`, unit: 'µs', ...cost };
      yield { title: `… p99`, unit: 'ms', ...slowest };
    }
  } finally {
    await server.stop();
    server.kill();
  }
}

const OURS = {
  now: () => ['GET', '/_now'],
  create: (document) => ['POST', '/bench/documents/_create', document],
  idOf: (answer) => answer.result._id,
  get: (id) => ['GET', `/bench/documents/${id}`],
  update: (id, changes) => ['PUT', `/bench/documents/${id}/_update`, changes],
  search: ({ status, low, high }) => {
    const filter = [{ term: { status } }, { range: { quantity: { gte: low, lt: high } } }];
    return ['POST', '/bench/documents/_search', { query: { bool: { filter } }, size: 10 }];
  },
  bulk: (documents) => {
    const bulkData = documents.flatMap((document) => [{ create: {} }, document]);
    return ['POST', '/bench/documents/_bulk', { bulkData }];
  },
};

function scenarios(peer) {
  const source = documentSource(8);
  const range = () => {
    const low = source.integer(900);
    return { status: `status-${source.integer(50)}`, low, high: low + 100 };
  };
  const batch = Array.from({ length: BATCH }, () => source.make());
  const changesOf = (n) => ({ quantity: n % 1_000 });
  return [
    { title: 'server.now', size: 6_400, isThere: 'now', toRequest: (side) => side.now },
    { title: 'get', size: 6_400, toRequest: (side) => (n) => side.get(side.idAt(n)) },
    {
      title: 'durable create',
      size: 3_200,
      toRequest: (side) => () => side.create(source.make()),
    },
    {
      title: 'update',
      size: 3_200,
      toRequest: (side) => (n) => side.update(side.idAt(n), changesOf(n)),
    },
    {
      title: 'search (term and range, 10 of 20,000 documents)',
      size: 1_280,
      toRequest: (side) => () => side.search(range()),
    },
    {
      title: `bulk import of ${BATCH}`,
      size: 32,
      quick: 4,
      isThere: 'bulk',
      toRequest: (side) => () => side.bulk(batch),
    },
  ].filter(({ isThere }) => isThere === undefined || peer[isThere] !== undefined);
}

const both = () => ({ ours: [], peer: [] });

function openSide(side) {
  const ids = [];
  const all = async (count, toRequest, onAnswer = () => undefined) => {
    const latenciesMs = [];
    const timed = async (send, request) => {
      const startMs = performance.now();
      const answer = await send(...request);
      latenciesMs.push(performance.now() - startMs);
      return answer;
    };
    // Opened each time: a server closes those that wait for the other side for long.
    const connections = await Promise.all(Array.from({ length: Math.min(BURST, count) }, () => openRawHttp(side.port)));
    for (let first = 0; first < count; first += BURST) {
      const burst = connections.slice(0, count - first);
      const answers = await Promise.all(burst.map(({ send }, n) => timed(send, toRequest(first + n))));
      for (const answer of answers) onAnswer(answer);
    }
    for (const { socket } of connections) socket.destroy();
    return latenciesMs;
  };
  const cpuSeconds = () => {
    const stat = readFileSync(`/proc/${side.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND;
  };
  return {
    ...side,
    idAt: (n) => ids[n % ids.length],
    send: (request) => all(1, () => request),
    fill: (documents) =>
      all(
        documents.length,
        (n) => side.create(documents[n]),
        (answer) => ids.push(side.idOf(JSON.parse(answer))),
      ),
    measure: async (count, toRequest) => {
      const [startMs, startCpu] = [performance.now(), cpuSeconds()];
      const latenciesMs = await all(count, toRequest);
      const seconds = (performance.now() - startMs) / 1000;
      return {
        perSecond: count / seconds,
        cpuUs: ((cpuSeconds() - startCpu) * 1e6) / count,
        p99Ms: quantile(latenciesMs, 0.99),
      };
    },
  };
}
