/*
 * Durable creates per second through the engine, compared with one transaction per document on one connection with the
 * same driver, durability and table. Run `npx tsc -b packages/storage-sqlite` first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { parseMapping } from '@millrace/query';
import { createSqliteEngine } from '../dist/index.js';
import { openDatabase } from '../dist/openDatabase.js';

const NAME = { index: 'bench', collection: 'writes' };
const ROUNDS = 3;
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const words = Array.from({ length: 2_000 }, (_, n) => `word${(n * 7919) % 10_007}`);

function makeDocument(n) {
  const word = (step) => words[(n * step) % words.length];
  return {
    id: n,
    price: (n % 1_000) / 10,
    at: new Date(1.6e12 + n * 1_000).toISOString(),
    color: word(3),
    shop: `${word(5)}-${'x'.repeat(40)}`,
    city: `${word(7)}-${'y'.repeat(40)}`,
    owner: `${word(11)}-${'z'.repeat(40)}`,
    title: Array.from({ length: 10 }, (_, i) => word(13 + i)).join(' '),
  };
}

function perSecond(count, fromMs) {
  return (count / (performance.now() - fromMs)) * 1_000;
}

function openBaseline() {
  const database = openDatabase(join(dataDir, 'baseline.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE docs(n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, v INTEGER, c INTEGER, j TEXT)`);
  const insert = database.prepare('INSERT INTO docs(id, v, c, j) VALUES(?, 1, 1, ?)');
  return (count) => {
    const fromMs = performance.now();
    for (let n = 0; n < count; n += 1) insert.run(randomUUID(), JSON.stringify(makeDocument(n)));
    return perSecond(count, fromMs);
  };
}

const create = (n) => ({
  ...NAME,
  id: randomUUID(),
  kind: 'put',
  source: makeDocument(n),
  condition: 'absent',
});

async function measureCallers(engine, callers, count) {
  const fromMs = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const [outcome] = await engine.write([create((next += 1))], false);
      if (outcome.status !== 'created') throw outcome.error;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return perSecond(count, fromMs);
}

async function measureBulk(engine, count, size) {
  const fromMs = performance.now();
  const batch = async (from) => {
    await engine.write(
      Array.from({ length: size }, (_, i) => create(from + i)),
      false,
    );
  };
  // Two batches in flight: the main thread prepares one while the writer writes the other.
  for (let from = 0; from < count; from += 2 * size) await Promise.all([batch(from), batch(from + size)]);
  return perSecond(count, fromMs);
}

const engine = createSqliteEngine({ dataDir: join(dataDir, 'engine') });
await engine.start();
await engine.createCollection(NAME, parseMapping({ properties: {} }));
const baseline = openBaseline();
for (let round = 1; round <= ROUNDS; round += 1) {
  const alone = baseline(3_000);
  const row = { round, 'one transaction per document': Math.round(alone) };
  for (const [callers, count] of [
    [1, 1_500],
    [64, 20_000],
    [256, 20_000],
  ]) {
    const rate = await measureCallers(engine, callers, count);
    row[`${callers} callers`] = `${Math.round(rate)} (${(rate / alone).toFixed(1)} x)`;
  }
  row['bulks of 5,000'] = Math.round(await measureBulk(engine, 50_000, 5_000));
  console.log(JSON.stringify(row));
}
await engine.stop();
rmSync(dataDir, { recursive: true });
