// Bulk import against plain SQLite inserts in transactions of the same size, then searches on what was imported.
import { randomBytes } from 'node:crypto';
import { documentSource, MAPPING } from '../documents.mjs';
import { openKernel } from '../openKernel.mjs';
import { plainSqlite } from '../peers/plainSqlite.mjs';
import { inTurn } from '../inTurn.mjs';
import { perSecond } from '../perSecond.mjs';

const BATCH = 5_000;

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 10_000 : 100_000;
  const opened = await openKernel();
  const source = documentSource(3);
  const documents = Array.from({ length: count }, () => source.make());
  const figures = { ours: [], peer: [] };
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const collection = `bulk${round}`;
    await opened.request({
      controller: 'collection',
      action: 'create',
      index: 'bench',
      collection,
      body: MAPPING,
    });
    const plain = plainSqlite();
    const [mine, theirs] = await inTurn(round, {
      ours: () => perSecond(count, () => importAll(opened.request, collection, documents)),
      peer: () => perSecond(count, () => insertAll(plain, documents)),
    });
    figures.ours.push(mine);
    figures.peer.push(theirs);
    plain.close();
  }
  yield {
    title: `bulk import, ${count} documents of 490 bytes`,
    unit: 'documents/s',
    ...figures,
    target: '≥ 0.5',
  };
  yield* searches(opened.request, source, isQuick ? 50 : 300);
  await opened.close();
}

async function importAll(request, collection, documents) {
  for (let start = 0; start < documents.length; start += BATCH) {
    const bulkData = documents.slice(start, start + BATCH).flatMap((document) => [{ create: {} }, document]);
    await request({
      controller: 'bulk',
      action: 'import',
      index: 'bench',
      collection,
      body: { bulkData },
    });
  }
}

function insertAll({ database, insert }, documents) {
  for (let start = 0; start < documents.length; start += BATCH) {
    database.exec('BEGIN');
    for (const document of documents.slice(start, start + BATCH))
      insert.run(randomBytes(15).toString('base64url'), JSON.stringify(document));
    database.exec('COMMIT');
  }
}

/** Milliseconds per search, p50, by kind; the peer column comes with Elasticsearch (the search-language issue). */
async function* searches(request, source, runs) {
  const kinds = {
    'term 2 %': () => ({ query: { term: { status: `status-${source.integer(50)}` } } }),
    'range 1 %': () => {
      const low = source.integer(9_900);
      return { query: { range: { amount: { gte: low, lt: low + 100 } } } };
    },
    'bool term 2 % + range 10 %': () => {
      const low = source.integer(900);
      return {
        query: {
          bool: {
            filter: [
              { term: { status: `status-${source.integer(50)}` } },
              { range: { quantity: { gte: low, lt: low + 100 } } },
            ],
          },
        },
      };
    },
    'match, 2 words': () => ({ query: { match: { title: `${source.word()} ${source.word()}` } } }),
    'terms, 50 values': () => ({ size: 0, aggs: { x: { terms: { field: 'status', size: 50 } } } }),
    'date_histogram by day': () => ({
      size: 0,
      aggs: { x: { date_histogram: { field: 'created', calendar_interval: 'day' } } },
    }),
    'sort by number, top 10': () => ({ sort: [{ amount: 'desc' }] }),
  };
  const search = (body) =>
    request({
      controller: 'document',
      action: 'search',
      index: 'bench',
      collection: 'bulk0',
      body,
    });
  const startMs = performance.now();
  await search({ size: 0 });
  yield {
    title: 'first search (builds the index)',
    unit: 'ms',
    ours: [performance.now() - startMs],
  };
  for (const [title, body] of Object.entries(kinds)) {
    const times = [];
    for (let run = -10; run < runs; run++) {
      const atMs = performance.now();
      await search(body());
      if (run >= 0) times.push(performance.now() - atMs);
    }
    times.sort((a, b) => a - b);
    yield {
      title: `search: ${title} (p50; p99 ${times[Math.floor(times.length * 0.99)].toFixed(2)} ms)`,
      unit: 'ms',
      ours: times,
    };
  }
}
