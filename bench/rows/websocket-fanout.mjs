// One notification to 5,000 connections of one channel, against bare ws that sends one prepared frame to each; the next
// one follows when all have received it. Connections are raw ones, in a separate process for each side.
import { once } from 'node:events';
import { cpuSecondsOf, forkPeer } from '../forkPeer.mjs';
import { inTurn } from '../inTurn.mjs';

const CHANNEL = '0123456789abcdef0123456789abcdef-0123456789abcdef';
const PAYLOAD_BYTES = 600;

export async function* rows({ rounds, isQuick }) {
  const connectionCount = isQuick ? 500 : 5_000;
  const publicationCount = isQuick ? 5 : 20;
  const ours = await start('websocketChannel', connectionCount);
  const peer = await start('websocketBroadcast', connectionCount);
  const figures = { ours: [], peer: [] };
  const perCpuSecond = { ours: [], peer: [] };
  for (const side of [ours, peer]) await measure(side, 3, connectionCount);
  for (let round = 0; round < rounds; round++) {
    const [mine, theirs] = await inTurn(round, {
      ours: () => measure(ours, publicationCount, connectionCount),
      peer: () => measure(peer, publicationCount, connectionCount),
    });
    figures.ours.push(mine.perSecond);
    figures.peer.push(theirs.perSecond);
    perCpuSecond.ours.push(mine.perCpuSecond);
    perCpuSecond.peer.push(theirs.perCpuSecond);
  }
  for (const { server, audience } of [ours, peer]) {
    audience.kill();
    server.kill();
  }
  const count = connectionCount.toLocaleString('en');
  yield {
    title: `one publication to ${count} WebSocket subscribers`,
    unit: 'deliveries/s',
    ...figures,
    target: '≥ 0.8',
  };
  yield {
    title: 'the same per second of the server’s processor time',
    unit: 'deliveries/s',
    ...perCpuSecond,
    target: '≥ 0.8',
  };
}

async function start(name, connectionCount) {
  const env = { ...process.env, BENCH_CHANNEL: CHANNEL };
  const { child: server, ready } = await forkPeer(name, [], { env });
  const { child: audience } = await forkPeer('websocketAudience', [ready.port, connectionCount]);
  return { server, audience };
}

async function measure({ server, audience }, publicationCount, connectionCount) {
  const before = await cpuSecondsOf(server);
  const startMs = performance.now();
  for (let n = 0; n < publicationCount; n++) {
    const envelope = JSON.stringify({ n: n % 10, text: 'x'.repeat(PAYLOAD_BYTES) });
    const frameBytes = 4 + Buffer.byteLength(envelope) + `{"room":"${CHANNEL}",`.length - 1;
    const received = once(audience, 'message');
    audience.send(frameBytes);
    server.send({ envelope });
    await received;
  }
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = (await cpuSecondsOf(server)) - before;
  const deliveries = publicationCount * connectionCount;
  return { perSecond: deliveries / seconds, perCpuSecond: deliveries / cpuSeconds };
}
