// A move to Elasticsearch and back, under creates, updates and deletions: its time, how long writes were held back, failed
// requests, and whether both engines are equal. `--documents 1000000` for some 500 MB.
// Needs MILLRACE_TEST_ELASTICSEARCH, the address of an Elasticsearch.
import { setTimeout as pause } from 'node:timers/promises';
import { openKernel } from '../openKernel.mjs';

const BATCH = 5_000;
const CALLERS = 4;

export async function* rows({ documentCount = 100_000 }) {
  const node = process.env['MILLRACE_TEST_ELASTICSEARCH'];
  if (node === undefined) return;
  const prefix = `bench-${process.pid}`;
  const server = await openKernel({
    http: { listen: false },
    storage: { elasticsearch: { prefix } },
  });
  const name = { index: 'bench', collection: 'move' };
  const ask = (action, fields) =>
    server.request({ controller: 'document', action, ...name, ...fields });
  const move = async (fields) => {
    await server.request({ controller: 'server', action: 'move', ...fields });
    for (;;) {
      const state = await server.request({ controller: 'server', action: 'moveState' });
      if (state.state === 'failed') throw new Error(state.reason);
      if (state.state === 'complete') return state;
      await pause(50);
    }
  };
  await server.request({ controller: 'index', action: 'create', index: 'bench' });
  const mapping = { dynamic: 'false', properties: {} };
  await server.request({ controller: 'collection', action: 'create', ...name, body: mapping });
  for (let at = 0; at < documentCount; at += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, documentCount - at) }, (_, n) => ({
      _id: `d${at + n}`,
      body: { n: at + n, text: 'x'.repeat(400) },
    }));
    await ask('mCreate', { body: { documents } });
  }
  let isOver = false;
  let writes = 0;
  let failed = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const _id = `d${Math.floor(Math.random() * documentCount * 1.1)}`;
      const n = writes++;
      const write =
        n % 10 === 0
          ? ask('mDelete', { body: { ids: [_id] } })
          : ask('createOrReplace', { _id, body: { n, text: 'y'.repeat(400) } });
      await write.catch(() => failed++);
      await pause(5);
    }
  });
  const began = performance.now();
  const there = await move({ to: 'elasticsearch', node });
  const seconds = (performance.now() - began) / 1_000;
  await pause(3_000);
  const back = await move({ to: 'sqlite' });
  await pause(1_000);
  await move({ to: 'elasticsearch', node });
  await pause(1_000);
  isOver = true;
  await Promise.all(callers);
  const compared = await move({ to: 'sqlite', verifyOnly: true });
  await server.close();
  await fetch(`${node}/${prefix}~*`, { method: 'DELETE' });
  const title = `move of ${documentCount.toLocaleString('en')} documents to Elasticsearch`;
  yield { title, unit: 's', ours: [seconds] };
  yield { title: 'writes held back', unit: 'ms', ours: [there.heldMs], target: '≤ 1,000' };
  yield { title: 'writes held back, on the way back', unit: 'ms', ours: [back.heldMs], target: '≤ 1,000' }; // prettier-ignore
  yield { title: `failed of ${writes} writes`, unit: 'requests', ours: [failed], target: '0' };
  yield { title: 'documents equal in both engines', unit: 'documents', ours: [compared.documents] };
}
