/*
 * R21 of the reliability goals: the same random operations on the embedded engine and on a server give the same results.
 * The seed is printed on failure; MILLRACE_TEST_PARITY_ROUNDS asks for more rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, StorageEngine, WriteOperation, WriteOutcome } from '@millrace/kernel';
import { parseMapping, parseSearch, toMappingBody } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { discard, hasElasticsearch, startEngine, testConfig } from './openElasticsearch.js';

const ROUNDS = Number(process.env['MILLRACE_TEST_PARITY_ROUNDS'] ?? 6);
const STEPS = 12;

/** Numbers from a seed (mulberry32). */
class Chance {
  constructor(private state: number) {}

  below(bound: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

const WORDS = ['mill', 'river', 'weir', 'Mill Lane', 'the mill on the river', 'race', ''];
const VALUES = [
  0, 1, -1, 7, 2.5, 1e10, true, false, null, 'a', 'B', '7', '2024-02-01', '2024/02/01', 'mill race',
  [], [1, 2], ['a', null], { x: 1 }, { x: 'deep' }, [{ x: 1 }, { x: 2 }],
]; // prettier-ignore
const FIELDS = ['title', 'tag', 'n', 'f', 'flag', 'day', 'free', 'other', 'author'];

function document(chance: Chance): JsonObject {
  const entries = Array.from({ length: 1 + chance.below(4) }, () => {
    const field = chance.of(FIELDS);
    const value = field === 'title' ? chance.of(WORDS) : chance.of(VALUES);
    return [field, value] as const;
  });
  return Object.fromEntries(entries);
}

function operation(chance: Chance): WriteOperation {
  const name = { index: 'parity', collection: chance.below(30) === 0 ? 'absent' : 'things' };
  const id = chance.of(['a', 'A', 'b', 'ü/..', '1']);
  if (chance.below(4) === 0) {
    return { ...name, id, kind: 'delete', condition: chance.of(['present', 1, 2] as const) };
  }
  const condition = chance.of(['absent', 'present', 'any', 'any', 'any', 1, 2, 3] as const);
  // A document that fails its condition as well as the mapping is refused for either; and only the embedded engine has
  // learnt its new fields by then.
  const source = condition === 'any' ? document(chance) : { title: chance.of(WORDS) };
  return { ...name, id, kind: 'put', source, condition };
}

function query(chance: Chance, depth = 0): JsonObject {
  const field = chance.of([...FIELDS, 'title.keyword', 'free.keyword', 'author.x', 'nowhere']);
  const value = chance.of(['mill', 'a', 'B', '7', 7, 1, 2.5, true, '2024-02-01', 'mill race']);
  switch (chance.below(depth > 1 ? 8 : 10)) {
    case 0:
      return { match_all: {} };
    case 1:
      return { term: { [field]: value } };
    case 2:
      return { match: { [field]: { query: value, operator: chance.of(['or', 'and']) } } };
    case 3:
      return { range: { [field]: { [chance.of(['gte', 'gt'])]: value } } };
    case 4:
      return { exists: { field: chance.of([field, '*', 'auth*']) } };
    case 5:
      return { terms: { [field]: [value, chance.of([1, 'mill', true])] } };
    case 6:
      return { prefix: { [field]: String(value).slice(0, 1) } };
    case 7:
      return {
        query_string: { query: chance.of(['mill', 'mill AND river', 'tag:a', '+race -mill']) },
      };
    default: {
      const inner = () => query(chance, depth + 1);
      return { bool: { must: [inner()], should: [inner(), inner()], must_not: [inner()] } };
    }
  }
}

function search(chance: Chance): JsonObject {
  const aggs = {
    tags: { terms: { field: 'tag' }, aggs: { total: { sum: { field: 'n' } } } },
    range: { stats: { field: 'n' } },
    days: { date_histogram: { field: 'day', calendar_interval: 'month' } },
    flags: { missing: { field: 'flag' } },
  };
  const sort = chance.of([
    [{ _id: 'asc' }],
    [{ n: { order: 'desc' } }, { _id: 'asc' }],
    [{ tag: { order: 'asc', missing: '_first' } }, { _id: 'desc' }],
    [{ day: { order: 'asc', mode: 'max' } }, { _id: 'asc' }],
  ]);
  return { query: query(chance), sort, size: 20, ...(chance.below(2) === 0 ? { aggs } : {}) };
}

const shape = (outcome: WriteOutcome): string =>
  outcome.status === 'failed' ? outcome.error.id : `${outcome.status} ${outcome.version}`;

async function settled(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return (error as { id?: string }).id ?? String(error);
  }
}

async function step(engine: StorageEngine, chance: Chance): Promise<unknown> {
  const name = { index: 'parity', collection: 'things' };
  switch (chance.below(12)) {
    case 0: {
      await engine.truncate(name);
      return 'truncated';
    }
    case 1:
      return engine.readMany(name, ['a', 'A', 'b', 'ü/..', '1', 'none']);
    case 2:
    case 3:
    case 4:
    case 5: {
      const request = search(chance);
      const found = await settled(() => engine.search(name, parseSearch(request)));
      return { request, found };
    }
    default: {
      const operations = Array.from({ length: 1 + chance.below(6) }, () => operation(chance));
      return { operations, shapes: (await engine.write(operations, true)).map(shape) };
    }
  }
}

describe.skipIf(!hasElasticsearch())('ElasticsearchEngine beside SqliteEngine', () => {
  const config = testConfig();
  let distributed: StorageEngine;
  let embedded: StorageEngine;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-parity-'));
    embedded = createSqliteEngine({ dataDir });
    await embedded.start();
    distributed = await startEngine(config);
  });
  afterAll(async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
    await discard(distributed, config);
  });

  const mapping = parseMapping({
    properties: {
      title: { type: 'text' },
      tag: { type: 'keyword' },
      n: { type: 'integer' },
      f: { type: 'double' },
      flag: { type: 'boolean' },
      day: { type: 'date' },
    },
  });

  it(
    'gives the same outcomes, documents, hits, aggregations and mappings for random operations',
    { timeout: 60_000 + ROUNDS * 10_000 },
    async () => {
      const name = { index: 'parity', collection: 'things' };
      const first = Number(process.env['MILLRACE_TEST_PARITY_SEED'] ?? 1);
      for (let seed = first; seed < first + ROUNDS; seed += 1) {
        const engines = [embedded, distributed] as const;
        for (const engine of engines) await engine.createCollection(name, mapping);
        const chances = engines.map(() => new Chance(seed));
        for (let at = 0; at < STEPS; at += 1) {
          const [expected, actual] = await Promise.all(
            engines.map((engine, i) => step(engine, chances[i] as Chance)),
          );
          expect(actual, `seed ${seed}, step ${at}`).toEqual(expected);
        }
        const [expected, actual] = await Promise.all(
          engines.map(async (engine) => toMappingBody(await engine.getMapping(name))),
        );
        expect(actual, `seed ${seed}, mapping`).toEqual(expected);
        for (const engine of engines) await engine.deleteCollection(name);
      }
    },
  );
});
