/*
 * The same random writes give the same outcomes, documents and mappings on both engines; the differential test compares searches.
 * A failure names the seed; MILLRACE_TEST_PARITY_ROUNDS asks for more rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, StorageEngine, WriteOperation, WriteOutcome } from '@millrace/kernel';
import { parseMapping, toMappingBody } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { Chance } from '../differential/Chance.js';
import { discard, hasElasticsearch, startEngine, testConfig } from './openElasticsearch.js';

const ROUNDS = Number(process.env['MILLRACE_TEST_PARITY_ROUNDS'] ?? 6);
const STEPS = 12;

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

const shape = (outcome: WriteOutcome): string =>
  outcome.status === 'failed' ? outcome.error.id : `${outcome.status} ${outcome.version}`;

async function step(engine: StorageEngine, chance: Chance): Promise<unknown> {
  const name = { index: 'parity', collection: 'things' };
  switch (chance.below(8)) {
    case 0: {
      await engine.truncate(name);
      return 'truncated';
    }
    case 1:
      return engine.readMany(name, ['a', 'A', 'b', 'ü/..', '1', 'none']);
    default: {
      const operations = Array.from({ length: 1 + chance.below(6) }, () => operation(chance));
      return { operations, shapes: (await engine.write(operations, true)).map(shape) };
    }
  }
}

describe.skipIf(!hasElasticsearch())('ElasticsearchEngine and SqliteEngine', () => {
  const config = testConfig();
  let elasticsearch: StorageEngine;
  let embedded: StorageEngine;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-parity-'));
    embedded = createSqliteEngine({ dataDir });
    await embedded.start();
    elasticsearch = await startEngine(config);
  });
  afterAll(async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
    await discard(elasticsearch, config);
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
    'give the same outcomes, documents and mappings for random writes',
    { timeout: 60_000 + ROUNDS * 10_000 },
    async () => {
      const name = { index: 'parity', collection: 'things' };
      const first = Number(process.env['MILLRACE_TEST_PARITY_SEED'] ?? 1);
      for (let seed = first; seed < first + ROUNDS; seed += 1) {
        const engines = [embedded, elasticsearch] as const;
        for (const engine of engines) await engine.createCollection(name, mapping);
        const chances = engines.map(() => new Chance(seed));
        for (let at = 0; at < STEPS; at += 1) {
          const [expected, actual] = await Promise.all(engines.map((engine, i) => step(engine, chances[i] as Chance)));
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
