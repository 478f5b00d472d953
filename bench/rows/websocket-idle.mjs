// What idle connections cost (reliability.md R12: 10,000 of them, at most 64 KiB each, goal 25), and how long opening
// them all holds up the event loop.
import { fork } from 'node:child_process';
import { once } from 'node:events';

export async function* rows({ isQuick }) {
  const connectionCount = isQuick ? 1_000 : 10_000;
  const server = fork(new URL('../peers/websocketChannel.mjs', import.meta.url), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, BENCH_CHANNEL: 'idle' },
  });
  const [{ port }] = await once(server, 'message');
  const before = await memoryOf(server);
  const startMs = performance.now();
  const audience = fork(new URL('../peers/websocketAudience.mjs', import.meta.url), [
    ...[String(port), String(connectionCount)],
  ]);
  await once(audience, 'message');
  const openedPerSecond = (connectionCount / (performance.now() - startMs)) * 1000;
  const after = await memoryOf(server);
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
}

async function memoryOf(child) {
  child.send('memory');
  const [memory] = await once(child, 'message');
  return memory;
}
