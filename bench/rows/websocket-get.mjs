// document.get over WebSocket, 32 in flight on one connection, against bare ws that parses the request and stringifies
// the same response; load from a third process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { inTurn } from '../inTurn.mjs';

const IN_FLIGHT = 32;

export async function* rows({ rounds, isQuick }) {
  const seconds = isQuick ? 1 : 3;
  const ours = await start('../peers/websocketMillrace.mjs');
  const { request } = ours;
  const { answer } = await load(ours, request, 1);
  const peer = await start('../peers/websocketEcho.mjs', { BENCH_RESPONSE: answer });
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

async function start(file, environment = {}) {
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...environment } });
  const [{ port, request }] = await once(child, 'message');
  return { child, port, request };
}

async function cpuSecondsOf(child) {
  child.send('cpu');
  const [{ cpuSeconds }] = await once(child, 'message');
  return cpuSeconds;
}

async function load({ child, port }, request, seconds) {
  const before = await cpuSecondsOf(child);
  const client = fork(new URL('../peers/websocketLoad.mjs', import.meta.url), [
    ...[String(port), request, String(IN_FLIGHT), String(seconds)],
  ]);
  const [result] = await once(client, 'message');
  const cpuSeconds = (await cpuSecondsOf(child)) - before;
  return { ...result, perCpuSecond: result.answered / cpuSeconds };
}
