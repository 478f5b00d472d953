// Searches next to an import of many documents: the first search of the imported collection, while documents are imported
// and right after, and meanwhile the longest wait of searches of another collection. `--documents N` (default 1,000,000).
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { documentSource, MAPPING } from '../documents.mjs';
import { quantile } from '../quantile.mjs';
import { ServerProcess } from '../ServerProcess.mjs';

const SERVER = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));
const BATCH = 2_000;
const CONCURRENT_BATCHES = 2;
const OTHER_DOCUMENTS = 20_000;
const PAUSE_MS = 10;
const WORDS = documentSource();

export async function* rows({ isQuick, documentCount = isQuick ? 120_000 : 1_000_000 }) {
  const server = new ServerProcess();
  await server.start(process.env.BENCH_SERVER ?? SERVER);
  const send = sender(server.ports.http);
  try {
    await send('PUT', '/bench/other', MAPPING);
    await importDocuments(send, 'other', OTHER_DOCUMENTS);
    await send('POST', '/bench/other/_search', query(1));
    await send('PUT', '/bench/imported', MAPPING);

    let midway;
    const others = watchOthers(send);
    const importMs = await timeOf(() =>
      importDocuments(send, 'imported', documentCount, (done) => {
        if (done >= documentCount / 2) midway ??= timeOf(() => send('POST', '/bench/imported/_search', query(2)));
      }),
    );
    const midwayMs = await midway;
    const during = others.take();
    const firstMs = await timeOf(() => send('POST', '/bench/imported/_search', query(3)));
    await delay(1_000);
    const after = others.take();
    await others.stop();

    const count = documentCount.toLocaleString('en');
    const part = (ms) => `${((ms / importMs) * 100).toFixed(1)} % of the import |`;
    const spread = (times) => `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)} ms |`;
    yield { title: `import of ${count} documents`, unit: 'ms', ours: [importMs] };
    yield { title: 'first search, midway', unit: 'ms', ours: [midwayMs], note: part(midwayMs) };
    yield {
      ...{ title: 'first search after it', unit: 'ms', ours: [firstMs] },
      ...{ target: '≤ 10 % of the import', note: part(firstMs) },
    };
    for (const [when, times] of Object.entries({ during, after })) {
      yield {
        ...{ title: `longest search of another collection, ${when}`, unit: 'ms' },
        ...{ ours: [Math.max(...times)], target: '< 250', note: spread(times) },
      };
    }
  } finally {
    server.kill();
  }
}

/** Few documents match, so that the time is that of the index. */
const query = (n) => ({
  query: {
    bool: {
      must: [{ match: { title: WORDS.wordAt(5_000 + n) } }],
      filter: [{ range: { quantity: { gte: n, lt: n + 300 } } }],
    },
  },
  size: 10,
});

async function timeOf(work) {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Searches over and over. `take` gives the times since the last call. */
function watchOthers(send) {
  let [times, isStopped] = [[], false];
  const watching = (async () => {
    for (let n = 0; !isStopped; n++) {
      times.push(await timeOf(() => send('POST', '/bench/other/_search', query(n % 100))));
      await delay(PAUSE_MS);
    }
  })();
  return {
    take() {
      const taken = times;
      times = [];
      return taken;
    },
    stop() {
      isStopped = true;
      return watching;
    },
  };
}

/** @param onBatch called with the number of documents so far */
async function importDocuments(send, collection, count, onBatch = () => {}) {
  const { make } = documentSource(3);
  let [sent, done] = [0, 0];
  const importer = async () => {
    while (sent < count) {
      const size = Math.min(BATCH, count - sent);
      sent += size;
      const lines = Array.from({ length: size }, () => [{ create: {} }, make()]);
      await send('POST', `/bench/${collection}/_bulk`, { bulkData: lines.flat() });
      onBatch((done += size));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, importer));
}

function sender(port) {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    await response.arrayBuffer();
  };
}
