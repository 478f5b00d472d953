// A subscriber that reads nothing under 1,000 publications per second: how the others fare, compared with the same without it,
// how soon it is cut off, and what it costs the server in memory until then.
import { askPeer, forkPeer } from '../forkPeer.mjs';

const HEALTHY_COUNT = 20;
const PER_SECOND = 1_000;
const MESSAGE_BYTES = 2_000;
const POLL_MS = 50;

export async function* rows({ rounds, isQuick }) {
  const seconds = isQuick ? 3 : 10;
  const { child: server, ready } = await forkPeer('websocketMillrace');
  const { port, httpUrl } = ready;
  const { child: audience } = await forkPeer('websocketPace', [port, HEALTHY_COUNT]);
  const job = { perSecond: PER_SECOND, bytes: MESSAGE_BYTES };
  const figures = { alone: [], beside: [], cutSeconds: [], heldMib: [] };
  await measure(audience, { ...job, seconds: 1, isSlowThere: false });
  for (let round = 0; round < rounds; round++) {
    figures.alone.push(await measure(audience, { ...job, seconds, isSlowThere: false }));
    const before = await rssOf(server);
    const cutBefore = await slowCount(httpUrl);
    const startMs = performance.now();
    const measured = measure(audience, { ...job, seconds, isSlowThere: true });
    let mostBytes = before;
    while ((await slowCount(httpUrl)) === cutBefore) {
      mostBytes = Math.max(mostBytes, await rssOf(server));
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (performance.now() - startMs > 60_000) throw new Error('the slow one was never cut off');
    }
    figures.cutSeconds.push((performance.now() - startMs) / 1000);
    figures.heldMib.push((mostBytes - before) / 1_048_576);
    figures.beside.push(await measured);
  }
  audience.kill();
  server.kill();
  yield {
    title: `p99 of ${HEALTHY_COUNT} subscribers, ${PER_SECOND}/s, next to one that reads nothing (peer: without it)`,
    unit: 'ms',
    ours: figures.beside,
    peer: figures.alone,
  };
  yield {
    title: 'the one that reads nothing is cut off after',
    unit: 's',
    ours: figures.cutSeconds,
  };
  yield { title: 'resident memory gained until then', unit: 'MiB', ours: figures.heldMib };
}

async function measure(audience, job) {
  const { p99Ms } = await askPeer(audience, job);
  return p99Ms;
}

async function rssOf(server) {
  const { rssBytes } = await askPeer(server, 'rss');
  return rssBytes;
}

async function slowCount(httpUrl) {
  const text = await (await fetch(`${httpUrl}/_metrics`)).text();
  const [, count] = /^millrace_slow_consumers_total\{protocol="websocket"\} (\d+)/m.exec(text) ?? [];
  return Number(count ?? 0);
}
