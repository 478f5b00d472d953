// server.now over HTTP against bare koa + @koa/router answering the same bytes; load from a third process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { inTurn } from '../inTurn.mjs';

const CONNECTIONS = 64;

export async function* rows({ rounds, isQuick }) {
  const seconds = isQuick ? 1 : 3;
  const ours = await start('../peers/millrace.mjs');
  const sample = await (await fetch(`${ours.url}/_now`)).text();
  const peer = await start('../peers/koaFixed.mjs', { BENCH_BODY: sample });
  const figures = { ours: [], peer: [] };
  for (const { url } of [ours, peer]) await load(url, 1);
  for (let round = 0; round < rounds; round++) {
    const [mine, theirs] = await inTurn(round, {
      ours: () => load(ours.url, seconds),
      peer: () => load(peer.url, seconds),
    });
    figures.ours.push(mine);
    figures.peer.push(theirs);
  }
  for (const { child } of [ours, peer]) child.kill('SIGTERM');
  yield {
    title: `server.now over HTTP, ${CONNECTIONS} connections`,
    unit: 'requests/s',
    ...figures,
    target: '≥ 0.7',
  };
}

async function start(file, environment = {}) {
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...environment } });
  const [{ url }] = await once(child, 'message');
  return { child, url };
}

async function load(url, seconds) {
  const child = fork(new URL('../peers/load.mjs', import.meta.url), [
    `${url}/_now`,
    String(CONNECTIONS),
    String(seconds),
  ]);
  const [{ requestsPerSecond, failed }] = await once(child, 'message');
  if (failed > 0) throw new Error(`${failed} failed requests to ${url}`);
  return requestsPerSecond;
}
