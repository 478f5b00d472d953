// Memory of idle connections (10,000 of them, at most 64 KiB each, goal 25), how long opening them all
// holds up the event loop, and what a subscription of each adds in a whole server.
import { askPeer, forkPeer } from '../forkPeer.mjs';

export async function* rows({ isQuick }) {
  const connectionCount = isQuick ? 1_000 : 10_000;
  const { child: server, ready } = await forkPeer('websocketChannel', [], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, BENCH_CHANNEL: 'idle' },
  });
  const before = await askPeer(server, 'memory');
  const startMs = performance.now();
  const { child: audience } = await forkPeer('websocketAudience', [ready.port, connectionCount]);
  const openedPerSecond = (connectionCount / (performance.now() - startMs)) * 1000;
  const after = await askPeer(server, 'memory');
  audience.kill();
  server.kill();
  const count = connectionCount.toLocaleString('en');
  const kibEach = (after.rssBytes - before.rssBytes) / 1024 / connectionCount;
  yield {
    title: `resident memory of each of ${count} idle WebSockets`,
    unit: 'KiB',
    ours: [kibEach],
    target: '≤ 25',
  };
  yield { title: 'opening them', unit: 'connections/s', ours: [openedPerSecond] };
  yield {
    title: 'longest wait of the event loop meanwhile',
    unit: 'ms',
    ours: [after.lagMs],
    target: '≤ 250',
  };
  yield* subscriptionRows(connectionCount);
}

async function* subscriptionRows(connectionCount) {
  const { child: server, ready } = await forkPeer('websocketMillrace', [], {
    execArgv: ['--expose-gc'],
  });
  const empty = await askPeer(server, 'memory');
  const { child: holders } = await forkPeer('websocketHolders', [ready.port, connectionCount]);
  let before = await askPeer(server, 'memory');
  const kibSince = ({ rssBytes }, earlier) => [(rssBytes - earlier.rssBytes) / 1024 / connectionCount];
  yield {
    title: 'the same in a whole server',
    unit: 'KiB',
    ours: kibSince(before, empty),
    target: '≤ 25',
  };
  for (const [kind, title] of [
    ['own', 'a subscription of each, to a separate filter, adds'],
    ['shared', 'one more, to a filter that all share, adds'],
  ]) {
    await askPeer(holders, kind);
    const after = await askPeer(server, 'memory');
    yield { title, unit: 'KiB', ours: kibSince(after, before) };
    before = after;
  }
  holders.kill();
  server.kill();
}
