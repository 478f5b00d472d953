// document.get over WebSocket, 32 in flight on one connection, against bare ws that parses the request and stringifies
// the same response; load from a third process.
import { cpuSecondsOf, forkPeer } from '../forkPeer.mjs';
import { inTurn } from '../inTurn.mjs';

const IN_FLIGHT = 32;

export async function* rows({ rounds, isQuick }) {
  const seconds = isQuick ? 1 : 3;
  const ours = await start('websocketMillrace');
  const { request } = ours;
  const { answer } = await load(ours, request, 1);
  const peer = await start('websocketEcho', { BENCH_RESPONSE: answer });
  await load(peer, request, 1);
  const figures = { ours: [], peer: [] };
  const perCpuSecond = { ours: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    const [mine, theirs] = await inTurn(round, {
      ours: () => load(ours, request, seconds),
      peer: () => load(peer, request, seconds),
    });
    figures.ours.push(mine.perSecond);
    figures.peer.push(theirs.perSecond);
    perCpuSecond.ours.push(mine.perCpuSecond);
    perCpuSecond.peer.push(theirs.perCpuSecond);
  }
  for (const { child } of [ours, peer]) child.kill('SIGTERM');
  yield {
    title: `document.get over WebSocket, ${IN_FLIGHT} in flight`,
    unit: 'requests/s',
    ...figures,
    target: '≥ 0.6',
  };
  yield {
    title: 'the same per second of the server’s processor time',
    unit: 'requests/s',
    ...perCpuSecond,
    target: '≥ 0.6',
  };
}

async function start(name, environment = {}) {
  const env = { ...process.env, ...environment };
  const { child, ready } = await forkPeer(name, [], { env });
  return { child, port: ready.port, request: ready.request };
}

async function load({ child, port }, request, seconds) {
  const before = await cpuSecondsOf(child);
  const { ready: result } = await forkPeer('websocketLoad', [port, request, IN_FLIGHT, seconds]);
  const cpuSeconds = (await cpuSecondsOf(child)) - before;
  return { ...result, perCpuSecond: result.answered / cpuSeconds };
}
