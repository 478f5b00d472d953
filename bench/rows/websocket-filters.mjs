// 5,000 WebSocket subscribers with 5,000 distinct filters: each message published through the whole server reaches one of
// them. The peer is bare ws that tests a closure for each subscriber. Connections are raw ones, in separate processes.
import { askPeer, cpuSecondsOf, forkPeer } from '../forkPeer.mjs';
import { inTurn } from '../inTurn.mjs';
import { quantile } from '../quantile.mjs';

const IN_FLIGHT = 16;

export async function* rows({ rounds, isQuick }) {
  const subscriberCount = isQuick ? 500 : 5_000;
  const messageCount = isQuick ? 500 : 10_000;
  const sides = {
    ours: await start('websocketMillrace', subscriberCount),
    peer: await start('websocketClosures', subscriberCount),
  };
  const perSecond = { ours: [], peer: [] };
  const perCpuSecond = { ours: [], peer: [] };
  const slowest = { ours: [], peer: [] };
  for (const side of Object.values(sides)) await measure(side, messageCount / 10);
  for (let round = 0; round < rounds; round++) {
    const [ours, peer] = await inTurn(round, {
      ours: () => measure(sides.ours, messageCount),
      peer: () => measure(sides.peer, messageCount),
    });
    for (const [name, figures] of Object.entries({ ours, peer })) {
      perSecond[name].push(figures.perSecond);
      perCpuSecond[name].push(figures.perCpuSecond);
      slowest[name].push(figures.p99Ms);
    }
  }
  for (const { server, audience } of Object.values(sides)) {
    audience.kill();
    server.kill();
  }
  const count = subscriberCount.toLocaleString('en');
  const title = `messages to ${count} subscribers with a filter each`;
  yield { title, unit: 'deliveries/s', ...perSecond };
  yield {
    title: 'the same per second of the server’s processor time',
    unit: 'deliveries/s',
    ...perCpuSecond,
  };
  yield {
    title: `p99 from sent to received, ${IN_FLIGHT} in flight`,
    unit: 'ms',
    ...slowest,
  };
}

async function start(name, subscriberCount) {
  const { child: server, ready } = await forkPeer(name);
  const { child: audience } = await forkPeer('websocketSubscribers', [ready.port, subscriberCount]);
  return { server, audience };
}

async function measure({ server, audience }, count) {
  const before = await cpuSecondsOf(server);
  const { latenciesMs, seconds } = await askPeer(audience, { count, inFlight: IN_FLIGHT });
  const cpuSeconds = (await cpuSecondsOf(server)) - before;
  return {
    perSecond: count / seconds,
    perCpuSecond: count / cpuSeconds,
    p99Ms: quantile(latenciesMs, 0.99),
  };
}
