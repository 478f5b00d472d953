// Clients that resume over WebSocket: one that has missed 10,000 changes, and 1,000 with a filter each that come back at the
// same time after 1,000 changes. The clients are a separate process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { askPeer, forkPeer } from '../forkPeer.mjs';
import { watchTurns } from '../watchTurns.mjs';

const PLACE = { index: 'bench', collection: 'docs' };
const BATCH = 1_000;

export async function* rows({ rounds, isQuick }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const kernel = new Kernel({
    config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' } },
    plugins: [websocket({ port: 0 })],
  });
  const addresses = await kernel.start();
  const { port } = addresses.find(({ protocol }) => protocol === 'websocket');
  const { child: clients } = await forkPeer('websocketResume', [port]);
  const cursors = [];
  await kernel.subscribe({ ...PLACE }, ({ cursor }) => cursors.push(cursor));
  const missed = isQuick ? 1_000 : 10_000;
  const clientCount = isQuick ? 100 : 1_000;
  const figures = { one: [], many: [], waits: [], turns: [], own: [], megabytes: [] };
  for (let round = 0; round <= rounds; round++) {
    const one = await measure({ count: 1, filters: false }, missed);
    const many = await measure({ count: clientCount, filters: true }, 1_000);
    // The first round warms up.
    if (round === 0) continue;
    figures.one.push(one.ms);
    figures.many.push(many.ms);
    figures.waits.push(Math.max(one.longestWaitMs, many.longestWaitMs));
    figures.megabytes.push(many.megabytes);
  }
  // Separately: it keeps a processor busy.
  for (let round = 0; round < rounds; round++) {
    const { longest } = await measure({ count: clientCount, filters: true, isWatched: true }, 1_000);
    figures.turns.push(longest?.processorMs ?? NaN);
    figures.own.push(longest?.ownMs ?? NaN);
  }
  clients.kill();
  await kernel.stop();
  rmSync(dataDir, { recursive: true, force: true });
  const [changes, count] = [missed, clientCount].map((n) => n.toLocaleString('en'));
  yield { title: `${changes} missed changes for one client`, unit: 'ms', ours: figures.one, target: '≤ 300 ms' };
  yield { title: `${count} clients with a filter each, after 1,000 changes`, unit: 'ms', ours: figures.many, target: '≤ 3,000 ms' };
  yield { title: 'longest wait of the event loop meanwhile', unit: 'ms', ours: figures.waits, target: '≤ 20 ms' };
  yield { title: 'longest turn of the event loop, without the wait for a processor', unit: 'ms', ours: figures.own, target: '≤ 20 ms' };
  yield { title: 'longest turn of the event loop, processor time', unit: 'ms', ours: figures.turns, target: '≤ 20 ms' };
  yield { title: 'memory that the clients add', unit: 'MB', ours: figures.megabytes, target: '≤ 100 MB' };

  /** Writes, and has clients resume from before. */
  async function measure({ isWatched = false, ...job }, changeCount) {
    await write(1);
    const cursor = cursors.at(-1);
    await write(changeCount);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const endTurns = isWatched ? watchTurns() : undefined;
    const { ms, replayed } = await askPeer(clients, { ...job, cursor });
    delay.disable();
    const longest = endTurns?.();
    if (replayed !== changeCount) throw new Error(`${replayed} of ${changeCount} changes came`);
    const megabytes = Math.max(0, (process.memoryUsage.rss() - before) / 2 ** 20);
    return { ms, longestWaitMs: delay.max / 1e6, longest, megabytes };
  }

  async function write(changeCount) {
    for (let done = 0; done < changeCount; done += BATCH) {
      const bulkData = Array.from({ length: Math.min(BATCH, changeCount - done) }, (_, n) => [
        { index: {} },
        { owner: `owner-${(done + n) % clientCount}`, text: 'a document of some length '.repeat(8) },
      ]);
      const from = cursors.length;
      const fields = { controller: 'bulk', action: 'import', ...PLACE, body: { bulkData: bulkData.flat() } };
      const { status, error } = await kernel.execute(fields);
      if (status !== 200) throw new Error(error.message);
      while (cursors.length < from + bulkData.length) await new Promise(setImmediate);
    }
  }
} // prettier-ignore
