import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StorageEngine, WriteOperation } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { SEARCH_BOMBS } from './searchBombs.js';

const THINGS = { index: 'bombs', collection: 'things' };
const COUNT = 5_000;
const MAPPING = {
  properties: {
    tag: { type: 'keyword' },
    tags: { type: 'keyword' },
    n: { type: 'integer' },
    day: { type: 'date' },
    place: { type: 'geo_point' },
    title: { type: 'text' },
    text: { type: 'text' },
    parts: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
};

/** The same each time: letters that have nothing to do with each other. */
function lettersOf(n: number): string {
  return ((n + 17) * 2_654_435_761).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
}

function put(n: number): WriteOperation {
  const word = (i: number) => lettersOf((n * 31 + i) % 3_000);
  const source = {
    tag: lettersOf(n),
    tags: Array.from({ length: 8 }, (_, i) => `t${(n * (i + 3)) % 400}`),
    n,
    day: 1_600_000_000_000 + n * 86_000_000,
    place: { lat: (n % 160) - 80, lon: (n % 340) - 170 },
    title: word(1),
    text: n % 50 === 0 ? 'a '.repeat(1_000) : Array.from({ length: 40 }, (_, i) => word(i)).join(' '),
    parts: [{ name: word(2) }, { name: word(3) }],
  };
  return { ...THINGS, kind: 'put', id: `d${n}`, source, condition: 'absent' };
}

describe.skipIf(!hasElasticsearch())('ElasticsearchEngine and hostile searches', () => {
  const config = testConfig();
  let engine: StorageEngine;

  beforeAll(async () => {
    engine = await startEngine(config);
    await engine.createCollection(THINGS, parseMapping(MAPPING));
    for (let start = 0; start < COUNT; start += 1_000) {
      await engine.write(
        Array.from({ length: 1_000 }, (_, i) => put(start + i)),
        true,
      );
    }
  });
  afterAll(() => discard(engine, config));

  /** `answered`, or the id of the error. */
  async function outcomeOf(body: object): Promise<string> {
    try {
      await engine.search(THINGS, parseSearch(body as Parameters<typeof parseSearch>[0]));
      return 'answered';
    } catch (error) {
      const { id, kind } = error as { readonly id?: string; readonly kind?: string };
      return id ?? `query.${kind}`;
    }
  }

  for (const [name, { body, isRefused = false }] of Object.entries(SEARCH_BOMBS)) {
    it(`${isRefused ? 'refuses' : 'answers or refuses'} ${name}`, async () => {
      const outcome = await outcomeOf(body);
      expect(outcome).toMatch(isRefused ? /^query\./ : /^(answered|query\.invalid)$/);
      // Whatever was sent, others are answered.
      expect(await outcomeOf({ query: { term: { n: 7 } } })).toBe('answered');
    });
  }

  it('ends a costly search in Elasticsearch when its caller leaves', async () => {
    // What was sent before may run on: these have separate documents.
    const own = testConfig({ costlySearchTimeoutMs: 1, costlySearchConcurrency: 4 });
    const other = await startEngine(own);
    await other.createCollection(THINGS, parseMapping(MAPPING));
    await other.write(
      Array.from({ length: 1_000 }, (_, n) => put(n)),
      true,
    );
    const { body } = SEARCH_BOMBS['900 similar words'] ?? { body: {} };
    const searches = Array.from({ length: 4 }, () => other.search(THINGS, parseSearch(body)));
    for (const result of await Promise.allSettled(searches)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { id: 'query.invalid' } });
    }
    await expect.poll(() => searchTasks(own.prefix), { timeout: 10_000 }).toBe(0);
    await discard(other, own);
  });

  it('refuses them where only a query is taken, too', async () => {
    const { query } = parseSearch(SEARCH_BOMBS['a loose phrase of one word']?.body ?? {});
    await expect(engine.count(THINGS, query)).rejects.toMatchObject({ id: 'query.invalid' });
    await expect(engine.scan(THINGS, query)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      id: 'query.invalid',
    });
  });
});

/** Searches under way on the collections of a prefix. */
async function searchTasks(prefix: string): Promise<number> {
  const response = await fetch(`${NODE}/_tasks?detailed&actions=indices:data/read/search*`);
  type Tasks = Readonly<Record<string, { readonly description: string }>>;
  const { nodes } = (await response.json()) as { nodes: Record<string, { tasks: Tasks }> };
  return Object.values(nodes)
    .flatMap(({ tasks }) => Object.values(tasks))
    .filter(({ description }) => description.includes(prefix)).length;
}
