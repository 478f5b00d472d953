// A backup of a server under creates: its time, the p99 of the creates before and meanwhile, and the memory it takes.
// `--documents 1000000` for some 500 MB.
import { setTimeout as pause } from 'node:timers/promises';
import { openKernel } from '../openKernel.mjs';

const BATCH = 5_000;
const CALLERS = 8;

export async function* rows({ documentCount = 100_000 }) {
  const server = await openKernel({ http: { listen: false } });
  const name = { index: 'bench', collection: 'backup' };
  await server.request({ controller: 'index', action: 'create', index: 'bench' });
  const mapping = { dynamic: 'false', properties: {} };
  await server.request({ controller: 'collection', action: 'create', ...name, body: mapping });
  for (let at = 0; at < documentCount; at += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, documentCount - at) }, (_, n) => ({
      body: { n: at + n, text: 'x'.repeat(400) },
    }));
    await server.request({
      controller: 'document',
      action: 'mCreate',
      ...name,
      body: { documents },
    });
  }
  const latencies = { before: [], meanwhile: [] };
  let phase = 'before';
  let peakRss = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (phase !== undefined) {
      const into = latencies[phase];
      const began = performance.now();
      const body = { text: 'x'.repeat(400) };
      await server.request({ controller: 'document', action: 'create', ...name, body });
      into.push(performance.now() - began);
      // Some 1,000 creates per second: a saturated machine has no p99 to compare.
      await pause(8);
    }
  });
  await pause(5_000);
  const restRss = process.memoryUsage.rss();
  const sampling = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 20);
  phase = 'meanwhile';
  const began = performance.now();
  const made = await server.request({ controller: 'server', action: 'backup' });
  let done;
  while (done === undefined) {
    await pause(20);
    const { hits } = await server.request({ controller: 'server', action: 'backups' });
    done = hits.find((each) => each.name === made.name && each.state !== 'running');
  }
  const seconds = (performance.now() - began) / 1_000;
  phase = undefined;
  clearInterval(sampling);
  await Promise.all(callers);
  await server.close();
  if (done.state !== 'complete') throw new Error(done.reason);
  const title = `backup of ${documentCount.toLocaleString('en')} documents, ${Math.round(done.bytes / 1e6)} MB`;
  yield { title, unit: 's', ours: [seconds], target: '≤ 5 for 1,000,000' };
  yield {
    title: 'p99 of creates meanwhile, against before',
    unit: 'ms',
    ours: [p99(latencies.meanwhile)],
    peer: [p99(latencies.before)],
    target: '≥ 0.5',
  };
  const mib = (peakRss - restRss) / 1_048_576;
  yield { title: 'memory meanwhile', unit: 'MiB', ours: [Math.max(0, mib)], target: '≤ 50' };
}

function p99(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
}
