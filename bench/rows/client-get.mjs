// A document through @millrace/client against a loop of `fetch`: with the request and the time limit of the client, and on
// the route of the document without a limit. A body and a signal cost `fetch` of Node.js time. The server is
// another process, which leaves the requests per second of a shared machine to chance: the processor time of this process
// is the steadier figure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@millrace/client';
import { inTurn } from '../inTurn.mjs';
import { perSecond } from '../perSecond.mjs';

const CALLERS = 16;

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 1_000 : 4_000;
  const server = fork(new URL('../peers/millrace.mjs', import.meta.url));
  const [{ url }] = await once(server, 'message');
  const stations = createClient(url).collection('city', 'stations');
  await stations.createOrReplace('s-1', { name: 'Opéra', bikes: 3 });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ index: 'city', collection: 'stations', _id: 's-1' }),
  };
  const ours = () => run(count, () => stations.get('s-1'));
  const loop = (ask) => () => run(count, async () => (await ask()).json());
  const same = {
    ours,
    peer: loop(() => fetch(`${url}/_message/document/get`, { ...init, signal: AbortSignal.timeout(10_000) })),
  };
  const title = `document.get through the client, ${CALLERS} callers`;
  yield* twoRows(title, await measure(same, rounds), '≥ 0.9');
  const onRoute = { ours, peer: loop(() => fetch(`${url}/city/stations/s-1`)) };
  yield* twoRows(`${title}; GET by fetch`, await measure(onRoute, rounds));
  server.kill('SIGTERM');
}

function* twoRows(title, { ours, peer }, target) {
  const all = (figures, name) => figures.map((each) => each[name]);
  const row = (name, unit) => ({ unit, ours: all(ours, name), peer: all(peer, name), target });
  yield { title, ...row('rate', 'requests/s') };
  yield { title: `${title}: processor time of 1,000`, ...row('processorMs', 'ms') };
}

async function measure(sides, rounds) {
  const figures = { ours: [], peer: [] };
  for (const side of Object.values(sides)) await side();
  for (let round = 0; round < rounds; round++) {
    const [mine, theirs] = await inTurn(round, sides);
    figures.ours.push(mine);
    figures.peer.push(theirs);
  }
  return figures;
}

/** Calls `count` times, `CALLERS` at once. */
async function run(count, call) {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await call();
  };
  const before = process.cpuUsage();
  const rate = await perSecond(count, () => Promise.all(Array.from({ length: CALLERS }, caller)));
  const { user, system } = process.cpuUsage(before);
  return { rate, processorMs: (user + system) / count };
}
