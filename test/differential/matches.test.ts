/*
 * `matches` on one document, and `LiveQueries` with all queries of a collection, against a search of the embedded engine
 * over the collection: the same documents must be found. MILLRACE_TEST_PAIRS=100000 compares as many pairs of a query and a document.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, StorageEngine, StoredDocument } from '@millrace/kernel';
import {
  bindQuery,
  compileMapping,
  parseMapping,
  parseQuery,
  parseSearch,
  QueryError,
  whyUndecidable,
  type BoundQuery,
  type CompiledMapping,
} from '@millrace/query';
import { documentScope, LiveQueries, matches, type DocumentScope } from '@millrace/search';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chance } from './Chance.js';
import { randomDocument } from './randomDocuments.js';
import { randomMapping, type RandomMapping } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { RequestContext } from './RequestContext.js';

const SEED = 19;
const PAIRS = Number(process.env['MILLRACE_TEST_PAIRS'] ?? 20_000);
const QUERIES_PER_COLLECTION = 60;
const IDS = Array.from({ length: 40 }, (_, position) => `d${position}`);

/** The queries that `randomQuery` makes, but for `fuzzy`, which is refused unless it permits no edit. */
const KINDS = [
  'bool', 'boosting', 'constant_score', 'dis_max', 'exists', 'function_score', 'geo_bounding_box', 'geo_distance', 'geo_polygon', 'geo_shape', 'ids', 'match', 'match_bool_prefix', 'match_phrase', 'multi_match', 'nested', 'prefix', 'query_string', 'range', 'regexp', 'simple_query_string', 'term', 'terms', 'wildcard',
]; // prettier-ignore

interface Collection {
  readonly random: RandomMapping;
  readonly mapping: CompiledMapping;
  readonly documents: readonly (readonly [stored: StoredDocument, scope: DocumentScope])[];
  /** The ids that a search finds. */
  readonly find: (query: JsonObject) => Promise<ReadonlySet<string>>;
}

let dataDir: string;
let engine: StorageEngine;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-matches-'));
  engine = createSqliteEngine({ dataDir });
  await engine.start();
});
afterAll(async () => {
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** A random collection with some replaced and deleted documents. */
async function fill(number: number, chance: Chance): Promise<Collection> {
  const random = randomMapping(chance);
  const name = { index: 'matches', collection: `c${number}` };
  await engine.createCollection(name, parseMapping(random.body));
  const put = (id: string) => {
    const source = randomDocument(random, chance, 8);
    return { ...name, id, kind: 'put', source, condition: 'any' } as const;
  };
  await engine.write(IDS.map(put), true);
  await engine.write(chance.some(IDS, 20).map(put), true);
  const deleted = chance.some(IDS, 10);
  await engine.write(
    deleted.map((id) => ({ ...name, id, kind: 'delete', condition: 'present' }) as const),
    true,
  );
  const mapping = compileMapping(await engine.getMapping(name));
  const stored = await engine.readMany(name, IDS);
  const documents = stored
    .filter((document): document is StoredDocument => document !== null)
    .map((document) => [document, documentScope(document, mapping)] as const);
  return {
    random,
    mapping,
    documents,
    find: async (query) => {
      const request = parseSearch({ query: { bool: { filter: query } }, size: IDS.length });
      return new Set((await engine.search(name, request)).hits.map(({ id }) => id));
    },
  };
}

/** Undefined if the query is refused. */
function boundOf(query: JsonObject, mapping: CompiledMapping): BoundQuery | undefined {
  try {
    return bindQuery(parseQuery(query), mapping, Date.now()).query;
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

describe('matches', () => {
  it('finds in each document what a search finds in the collection', async () => {
    const chance = new Chance(SEED);
    const results = new Map<string, Set<boolean>>();
    const undecidable = new Set<string>();
    let pairs = 0;
    let [decidedAlone, registered] = [0, 0];
    for (let number = 1; pairs < PAIRS; number += 1) {
      const { random, mapping, documents, find } = await fill(number, chance);
      const live = new LiveQueries(mapping);
      const shown = new Map<string, JsonObject>();
      const expected = new Map<string, string[]>();
      for (let i = 0; i < QUERIES_PER_COLLECTION; i += 1) {
        const query = randomQuery(new RequestContext(chance, random, 3), chance.below(3));
        const kind = Object.keys(query)[0] as string;
        const bound = boundOf(query, mapping);
        if (bound === undefined) {
          await expect(find(query)).rejects.toThrow();
          continue;
        }
        if (whyUndecidable(bound) !== null) {
          undecidable.add(kind);
          continue;
        }
        const found = await find(query);
        const seen = results.get(kind) ?? new Set();
        results.set(kind, seen);
        const key = String(i);
        live.add(key, bound);
        shown.set(key, query);
        for (const [{ id }, scope] of documents) {
          const isMatch = matches(bound, scope);
          if (isMatch !== found.has(id))
            expect.fail(`Collection ${number}, document ${id}: matches is ${isMatch} for ${JSON.stringify(query)}`);
          if (isMatch) expected.set(id, [...(expected.get(id) ?? []), key]);
          seen.add(isMatch);
          pairs += 1;
        }
      }
      for (const [document] of documents) {
        const { id } = document;
        const found = new Set(live.test(document));
        const wanted = new Set(expected.get(id));
        for (const [key, query] of shown) {
          if (found.has(key) === wanted.has(key)) continue;
          expect.fail(
            `Collection ${number}, document ${id}: live is ${found.has(key)} for ${JSON.stringify(query)} in ${JSON.stringify(document)}`,
          );
        }
      }
      decidedAlone += live.size.exact;
      registered += live.size.queries;
      for (const key of shown.keys()) expect(live.remove(key)).toBe(true);
      expect(live.size).toEqual({ queries: 0, exact: 0 });
    }
    for (const kind of KINDS) expect([kind, results.get(kind)?.size]).toEqual([kind, 2]);
    const refused = ['fuzzy', 'match', 'match_phrase_prefix', 'multi_match', 'query_string'];
    expect([...undecidable]).toEqual(expect.arrayContaining(refused));
    expect(decidedAlone).toBeGreaterThan(registered / 10);
    expect(decidedAlone).toBeLessThan(registered);
    if (PAIRS > 20_000) console.log(`${pairs} pairs, all equal; ${decidedAlone / registered} decided by filters alone`);
  });
});
