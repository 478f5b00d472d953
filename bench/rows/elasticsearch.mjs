// Bulk import and searches compared with Elasticsearch, both holding the same documents: its official client on loopback with the
// compression that is its default (none), one shard, no replica; ours through `kernel.execute`. Totals are exact on both
// sides, as `total` of ours always is.
import { randomBytes } from 'node:crypto';
import { documentSource, MAPPING } from '../documents.mjs';
import { inTurn } from '../inTurn.mjs';
import { openKernel } from '../openKernel.mjs';
import { openElasticsearch } from '../peers/elasticsearch.mjs';
import { quantile } from '../quantile.mjs';
import { searchKinds } from '../searchKinds.mjs';

const BATCH = 5_000;
/** Bulk requests under way at once: Elasticsearch gains nothing from more on two cores. */
const CONCURRENCY = 2;
/** Documents made ahead of the clock. */
const CHUNK = 50_000;
const TEXT_WORDS = 100;
const WARM_UP = 40;
const WARM_UP_DOCUMENTS = 30_000;
const SCROLL_PAGE = 1_000;
const PROPERTIES = { ...MAPPING.properties, place: { type: 'geo_point' } };

export async function* rows({ rounds, isQuick, documentCount, isTextHeavy, only, runs }) {
  const peer = await openElasticsearch();
  if (peer === undefined) {
    console.log('elasticsearch: left out, no server (see bench/README.md)');
    return;
  }
  const count = documentCount ?? (isQuick ? 10_000 : 100_000);
  const settings = {
    count,
    isTextHeavy,
    rounds: isQuick || count > 200_000 ? 1 : rounds,
    ids: only === undefined ? ['generated', 'random'] : ['generated'],
  };
  let opened = await openKernel();
  try {
    yield* imports(opened, peer.client, settings);
    yield* searches(opened.request, peer.client, runs ?? (isQuick ? 30 : 300), only);
    if (only === undefined) yield* scrolls(opened.request, peer.client, count);
    const stopMs = performance.now();
    opened = await opened.restart();
    yield { title: 'stop and start', unit: 'ms', ours: [performance.now() - stopMs] };
    const startMs = performance.now();
    const { total } = await ourSearch(opened.request, 'generated0', { query: { match_all: {} } });
    if (total !== count) throw new Error(`${total} of ${count} documents after the restart`);
    yield { title: 'first search after a start', unit: 'ms', ours: [performance.now() - startMs] };
  } finally {
    await peer.client.indices.delete({ index: 'bench-generated0' }, { ignore: [404] });
    await peer.close();
    await opened.close();
  }
}

async function* imports(opened, client, { count, isTextHeavy, rounds, ids: kinds }) {
  await warmUp(opened.request, client);
  const words = isTextHeavy ? TEXT_WORDS : undefined;
  const what = isTextHeavy ? `text-heavy documents (${TEXT_WORDS} words)` : 'documents';
  for (const ids of kinds) {
    const figures = { ours: [], peer: [] };
    const first = { ours: [] };
    const memory = { ours: [] };
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const name = `${ids}${round}`;
      await createBoth(opened.request, client, name);
      const [mine, theirs] = await inTurn(round, {
        ours: async () => {
          const stopSampling = sampleMemory();
          const rate = await rateOf(count, words, ids, (batch) => importOurs(opened.request, name, batch));
          memory.ours.push(stopSampling());
          const startMs = performance.now();
          await ourSearch(opened.request, name, { size: 0 });
          first.ours.push(performance.now() - startMs);
          return rate;
        },
        peer: () =>
          rateOf(
            count,
            words,
            ids,
            (batch) => importTheirs(client, name, batch),
            () => client.indices.refresh({ index: `bench-${name}` }),
          ),
      });
      figures.ours.push(mine);
      figures.peer.push(theirs);
      if (name !== 'generated0') await dropBoth(opened.request, client, name);
    }
    yield {
      title: `bulk import, ${count} ${what}, ${ids === 'random' ? "callers' random ids" : 'generated ids'}`,
      unit: 'documents/s',
      ...figures,
      target: isTextHeavy ? '≥ 1' : '≥ 2',
    };
    yield { title: '… first search right after it', unit: 'ms', ...first };
    yield { title: '… most memory of the process, the bench included', unit: 'MB', ...memory };
  }
}

/** Both sides compile their code before the clock runs. */
async function warmUp(request, client) {
  await createBoth(request, client, 'warm');
  await rateOf(WARM_UP_DOCUMENTS, undefined, 'generated', async (batch) => {
    await importOurs(request, 'warm', batch);
    await importTheirs(client, 'warm', batch);
  });
  await dropBoth(request, client, 'warm');
}

async function createBoth(request, client, name) {
  const body = { properties: PROPERTIES };
  await request({
    controller: 'collection',
    action: 'create',
    index: 'bench',
    collection: name,
    body,
  });
  await client.indices.create({
    index: `bench-${name}`,
    mappings: body,
    settings: { number_of_shards: 1, number_of_replicas: 0 },
  });
}

async function dropBoth(request, client, name) {
  await request({ controller: 'collection', action: 'delete', index: 'bench', collection: name });
  await client.indices.delete({ index: `bench-${name}` });
}

/** Documents per second, from the same seed on both sides; making them is not timed. */
async function rateOf(count, words, ids, importBatch, finish = async () => undefined) {
  const source = documentSource(3);
  let spentMs = 0;
  const timed = async (work) => {
    const startMs = performance.now();
    await work();
    spentMs += performance.now() - startMs;
  };
  for (let start = 0; start < count; start += CHUNK) {
    const documents = Array.from({ length: Math.min(CHUNK, count - start) }, () => ({
      _id: ids === 'random' ? randomBytes(15).toString('base64url') : undefined,
      body: { ...source.make(words), place: source.place() },
    }));
    let next = 0;
    const runs = Array.from({ length: CONCURRENCY }, () => async () => {
      while (next < documents.length) {
        const batch = documents.slice(next, next + BATCH);
        next += BATCH;
        await importBatch(batch);
      }
    });
    await timed(() => Promise.all(runs.map((run) => run())));
  }
  await timed(finish);
  return (count / spentMs) * 1000;
}

async function importOurs(request, collection, batch) {
  const bulkData = batch.flatMap(({ _id, body }) => [{ create: _id === undefined ? {} : { _id } }, body]);
  await request({
    controller: 'bulk',
    action: 'import',
    index: 'bench',
    collection,
    body: { bulkData },
  });
}

async function importTheirs(client, name, batch) {
  const operations = batch.flatMap(({ _id, body }) => [{ create: _id === undefined ? {} : { _id } }, body]);
  const { errors } = await client.bulk({ index: `bench-${name}`, operations });
  if (errors) throw new Error('Elasticsearch refused documents');
}

function ourSearch(request, collection, body) {
  const { from, size, ...rest } = body;
  return request({
    controller: 'document',
    action: 'search',
    index: 'bench',
    collection,
    ...(from === undefined ? {} : { from }),
    ...(size === undefined ? {} : { size }),
    body: rest,
  });
}

async function* searches(request, client, runs, only) {
  for (const [title, body] of Object.entries(searchKinds(documentSource(5), 'title'))) {
    if (only !== undefined && !new RegExp(only).test(title)) continue;
    const times = { ours: [], peer: [] };
    for (let run = -WARM_UP; run < runs; run++) {
      const asked = body();
      const timed = async (side, work) => {
        const startMs = performance.now();
        const total = await work();
        if (run >= 0) times[side].push(performance.now() - startMs);
        return total;
      };
      const [mine, theirs] = await inTurn(run + WARM_UP, {
        ours: () => timed('ours', async () => (await ourSearch(request, 'generated0', asked)).total),
        peer: () =>
          timed('peer', async () => {
            const { hits } = await client.search({
              index: 'bench-generated0',
              track_total_hits: true,
              ...(asked.size === 0 ? { request_cache: false } : {}),
              ...asked,
            });
            return hits.total.value;
          }),
      });
      if (mine !== theirs) throw new Error(`${title}: ${mine} hits, Elasticsearch ${theirs}: ${JSON.stringify(asked)}`);
    }
    for (const part of [0.5, 0.99]) {
      yield {
        title: `search: ${title}, p${part * 100}`,
        unit: 'ms',
        ours: [quantile(times.ours, part)],
        peer: [quantile(times.peer, part)],
        target: '≥ 1',
      };
    }
  }
}

/** @returns a function that stops and gives the most that was resident, in MB */
function sampleMemory() {
  let most = 0;
  const sample = () => (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(sample, 50);
  return () => {
    clearInterval(timer);
    sample();
    return most / 2 ** 20;
  };
}

async function* scrolls(request, client, count) {
  const figures = { ours: [], peer: [] };
  const memory = { ours: [] };
  for (let round = 0; round < 3; round++) {
    const [mine, theirs] = await inTurn(round, {
      ours: async () => {
        const stopSampling = sampleMemory();
        const mine = await rate(count, () => scrollOurs(request));
        memory.ours.push(stopSampling());
        return mine;
      },
      peer: () => rate(count, () => scrollTheirs(client)),
    });
    figures.ours.push(mine);
    figures.peer.push(theirs);
  }
  yield { title: 'most memory while scrolling, the bench included', unit: 'MB', ...memory };
  yield {
    title: `scroll of all, pages of ${SCROLL_PAGE}`,
    unit: 'documents/s',
    ...figures,
    target: '≥ 1',
  };
}

async function rate(count, scroll) {
  const startMs = performance.now();
  const seen = await scroll();
  if (seen !== count) throw new Error(`${seen} of ${count} documents scrolled`);
  return (count / (performance.now() - startMs)) * 1000;
}

async function scrollOurs(request) {
  let page = await request({
    controller: 'document',
    action: 'search',
    index: 'bench',
    collection: 'generated0',
    scroll: '1m',
    size: SCROLL_PAGE,
    body: {},
  });
  let seen = 0;
  while (page.hits.length > 0) {
    seen += page.hits.length;
    page = await request({
      controller: 'document',
      action: 'scroll',
      scrollId: page._scroll_id,
      scroll: '1m',
    });
  }
  return seen;
}

async function scrollTheirs(client) {
  // By _doc: the cheapest order it has.
  let page = await client.search({
    index: 'bench-generated0',
    scroll: '1m',
    size: SCROLL_PAGE,
    sort: ['_doc'],
    track_total_hits: true,
  });
  let seen = 0;
  while (page.hits.hits.length > 0) {
    seen += page.hits.hits.length;
    page = await client.scroll({ scroll_id: page._scroll_id, scroll: '1m' });
  }
  await client.clearScroll({ scroll_id: page._scroll_id });
  return seen;
}
