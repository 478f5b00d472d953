// What recording changes costs: the same writes to a collection that the change log records, to one that it doesn't, and, to
// show the noise of the machine, to another one that it doesn't; in turns on one server, without subscribers. The processor
// time of all threads is little affected by other processes.
import { documentSource, MAPPING } from '../documents.mjs';
import { openKernel } from '../openKernel.mjs';

const CALLERS = 64;
const BATCH = 1_000;
const COLLECTIONS = ['recorded', 'plain', 'other'];

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 2_000 : 20_000;
  const history = { collections: ['bench/recorded'] };
  const { request, close } = await openKernel({ realtime: { history } });
  for (const collection of COLLECTIONS) {
    await request({ controller: 'collection', action: 'create', index: 'bench', collection, body: MAPPING });
  }
  const source = documentSource(7);
  const documents = Array.from({ length: count }, () => source.make());
  const figures = {};
  for (let round = -1; round < rounds; round++) {
    for (const [kind, write] of Object.entries({ create, replace, bulk })) {
      // Another one begins in each round.
      for (let n = 0; n < COLLECTIONS.length; n++) {
        const collection = COLLECTIONS[(n + round + 1) % COLLECTIONS.length];
        const before = process.cpuUsage();
        const startMs = performance.now();
        await write(request, collection, documents);
        const seconds = (performance.now() - startMs) / 1_000;
        const { user, system } = process.cpuUsage(before);
        // The first round warms up.
        if (round < 0) continue;
        (figures[`${kind} ${collection}`] ??= []).push(count / seconds);
        (figures[`${kind} ${collection} cpu`] ??= []).push((count * 1e6) / (user + system));
      }
    }
  }
  await close();
  const titles = {
    create: `durable document.create, ${CALLERS} callers`,
    replace: `durable document.createOrReplace of the same document, ${CALLERS} callers`,
    bulk: `bulk import, ${BATCH} documents at a time`,
  };
  for (const [kind, title] of Object.entries(titles)) {
    for (const [suffix, per] of [['', ''], [' cpu', ' per second of processor time']]) {
      const of = (collection) => figures[`${kind} ${collection}${suffix}`];
      const unit = 'documents/s';
      const target = kind === 'create' && suffix === '' ? '≥ 0.9' : undefined;
      yield { title: `${title}${per}: recorded / not`, unit, ours: of('recorded'), peer: of('plain'), target };
      yield { title: `${title}${per}: not / not`, unit, ours: of('other'), peer: of('plain') };
    }
  }
} // prettier-ignore

function create(request, collection, documents) {
  return byCallers(documents, (body) =>
    request({ controller: 'document', action: 'create', index: 'bench', collection, body }),
  );
}

function replace(request, collection, documents) {
  const fields = { controller: 'document', action: 'createOrReplace', index: 'bench', collection };
  let next = 0;
  return byCallers(documents, (body) => request({ ...fields, _id: `r${next++ % 1_000}`, body }));
}

async function bulk(request, collection, documents) {
  for (let n = 0; n < documents.length; n += BATCH) {
    const bulkData = documents.slice(n, n + BATCH).flatMap((each) => [{ index: {} }, each]);
    await request({ controller: 'bulk', action: 'import', index: 'bench', collection, body: { bulkData } });
  }
} // prettier-ignore

async function byCallers(documents, write) {
  let next = 0;
  const caller = async () => {
    while (next < documents.length) await write(documents[next++]);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}
