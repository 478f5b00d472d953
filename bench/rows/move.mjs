// A move to Elasticsearch and back, under creates, updates and deletions, with a subscriber: its time, how long writes were
// held back, failed requests, missed changes, and whether both engines are equal. It runs once. `--documents 1000000` for
// some 500 MB. Needs MILLRACE_TEST_ELASTICSEARCH, the address of an Elasticsearch.
import { setTimeout as pause } from 'node:timers/promises';
import { openKernel } from '../openKernel.mjs';

const BATCH = 5_000;
const CALLERS = 4;
const NAME = { index: 'bench', collection: 'move' };

export async function* rows({ documentCount = 100_000 }) {
  const node = process.env['MILLRACE_TEST_ELASTICSEARCH'];
  if (node === undefined) return;
  const prefix = `bench-${process.pid}`;
  const server = await openKernel({
    http: { listen: false },
    storage: { elasticsearch: { node, prefix } },
  });
  const ask = (action, fields) => server.request({ controller: 'document', action, ...NAME, ...fields });
  let isOver = false;
  let callers = [];
  try {
    await server.request({ controller: 'index', action: 'create', index: 'bench' });
    const mapping = { dynamic: 'false', properties: {} };
    await server.request({ controller: 'collection', action: 'create', ...NAME, body: mapping });
    for (let at = 0; at < documentCount; at += BATCH) {
      const documents = Array.from({ length: Math.min(BATCH, documentCount - at) }, (_, n) => ({
        _id: `d${at + n}`,
        body: { n: at + n, text: 'x'.repeat(400) },
      }));
      await ask('mCreate', { body: { documents } });
    }
    const subscriber = new Subscriber();
    await server.kernel.subscribe({ ...NAME, body: {}, mode: 'auto' }, subscriber.receive);
    let writes = 0;
    let failed = 0;
    const latencies = [];
    callers = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        const _id = `d${Math.floor(Math.random() * documentCount * 1.1)}`;
        const n = documentCount * 2 + writes++;
        const began = performance.now();
        const write =
          n % 10 === 0
            ? ask('mDelete', { body: { ids: [_id] } })
            : ask('createOrReplace', { _id, body: { n, text: 'y'.repeat(400) } });
        await write.catch(() => failed++);
        latencies.push(performance.now() - began);
        await pause(5);
      }
    });
    const move = async (fields) => {
      const seconds = {};
      const before = subscriber.cursor;
      await server.request({ controller: 'server', action: 'move', ...fields });
      for (let began = performance.now(), phase = 'copying'; ;) {
        const state = await server.request({ controller: 'server', action: 'moveState' });
        seconds[phase] = (performance.now() - began) / 1_000;
        if (state.state !== phase) [began, phase] = [performance.now(), state.state];
        if (process.env['MOVE_PROGRESS']) console.error(new Date().toISOString(), JSON.stringify(state), writes);
        if (state.state === 'failed') throw new Error(state.reason);
        if (state.state === 'complete') return { ...state, seconds, before };
        if (state.state !== 'switching') subscriber.mark();
        await pause(documentCount > 100_000 ? 1_000 : 50);
      }
    };
    const there = await move({ to: 'elasticsearch' });
    const resumed = new Subscriber();
    const again = await server.kernel.subscribe({ ...NAME, body: {}, cursor: subscriber.marked }, resumed.receive);
    await pause(3_000);
    await again.unsubscribe();
    const moved = quantiles(latencies);
    const compared = await move({ to: 'sqlite', verifyOnly: true });
    const back = await move({ to: 'sqlite' });
    await pause(1_000);
    isOver = true;
    await Promise.all(callers);
    const missed = await subscriber.missed(ask);
    const title = `move of ${documentCount.toLocaleString('en')} documents to Elasticsearch`;
    const total = Object.values(there.seconds).reduce((sum, each) => sum + each, 0);
    yield { title, unit: 's', ours: [total], note: JSON.stringify(there.seconds) };
    yield { title: 'writes held back', unit: 'ms', ours: [there.heldMs], target: '≤ 1,000' };
    yield { title: 'writes held back, on the way back', unit: 'ms', ours: [back.heldMs], target: '≤ 1,000' };
    yield { title: `failed of ${writes} writes`, unit: 'requests', ours: [failed], target: '0', note: moved };
    yield {
      title: `documents of ${subscriber.count} notifications that differ from the database`,
      unit: 'documents',
      ours: [missed],
      target: '0',
    };
    yield {
      title: `gaps of the subscriber, and of one that resumes with a cursor of before the switch (${resumed.count} notifications)`,
      unit: 'gaps',
      ours: [subscriber.gaps + resumed.gaps],
      target: '0',
    };
    yield {
      title: 'documents equal in both engines',
      unit: 'documents',
      ours: [compared.documents],
    };
  } finally {
    isOver = true;
    await Promise.all(callers);
    await server.close();
    const names = await (await fetch(`${node}/_cat/indices/${prefix}~*?format=json&h=index`)).json();
    for (const { index } of names) await fetch(`${node}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  }
}

/** What notifications say about the documents. */
class Subscriber {
  count = 0;
  gaps = 0;
  cursor = '';
  /** A cursor of some time ago. */
  marked = '';
  documents = new Map();

  receive = ({ event, action, result, cursor }) => {
    if (event === 'gap') this.gaps += 1;
    if (result?._id === undefined) return;
    this.count += 1;
    if (cursor <= this.cursor) this.gaps += 1;
    this.cursor = cursor;
    this.documents.set(result._id, action === 'delete' ? undefined : result._source.n);
  };

  mark() {
    this.marked = this.cursor;
  }

  /** @returns the number of documents that differ */
  async missed(ask) {
    const ids = [...this.documents.keys()];
    let differing = 0;
    for (let at = 0; at < ids.length; at += 1_000) {
      const some = ids.slice(at, at + 1_000);
      const { successes } = await ask('mGet', { body: { ids: some } });
      const found = new Map(successes.map(({ _id, _source }) => [_id, _source.n]));
      differing += some.filter((id) => found.get(id) !== this.documents.get(id)).length;
    }
    return differing;
  }
}

function quantiles(milliseconds) {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}
