import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './openDatabase.js';
import { LOG_KIND } from './schema/changeLogTables.js';
import { createSqliteEngine, type SqliteEngine } from './SqliteEngine.js';

const ROUNDS = Number(process.env['MILLRACE_TEST_KILL_ROUNDS'] ?? 3);
const NAME = { index: 'books', collection: 'kills' };

/** The last acknowledged step of each document: a version, or 0 for a deletion. */
type Book = Map<string, number>;

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

/** Lets a process write for a while and until `isEnough`, kills it, and records the steps that it had acknowledged. */
async function writeAndKill(
  book: Book,
  bulks: Map<string, number>,
  lifeMs: number,
  isEnough: () => boolean,
): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../dist/durability.test.child.js'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [word, id = '', number] = line.split(' ');
      if (word === 'ready') resolve();
      else if (word === 'put') book.set(id, Number(number));
      else if (word === 'gone') book.set(id, 0);
      else if (word === 'bulk') bulks.set(id, Number(number));
    });
    child.once('exit', (code) => {
      reject(new Error(`the writing process ended by itself, code ${String(code)}`));
    });
  });
  const drained = once(lines, 'close');
  await ready;
  await sleep(lifeMs);
  while (!isEnough()) await sleep(10);
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  await drained;
}

function expectedFiller(id: string, version: number): string {
  return `${id}/${version} `.repeat(30);
}

/** Each document may have advanced by one unacknowledged step, applied completely. */
function checkDocument(engine: SqliteEngine, id: string, acknowledged: number): void {
  const stored = engine.read(NAME, id);
  const possible = acknowledged === 0 ? [0] : acknowledged < 3 ? [acknowledged, acknowledged + 1] : [3, 0];
  expect(possible, `version of ${id}, acknowledged as ${acknowledged}`).toContain(stored?.version ?? 0);
  if (stored === null) return;
  const { version } = stored;
  expect(stored.source).toEqual({ id, version, filler: expectedFiller(id, version) });
}

describe('durability', () => {
  it(
    `keeps every acknowledged write of a killed process, ${ROUNDS} times`,
    async () => {
      const book: Book = new Map();
      const bulks = new Map<string, number>();
      const isEnough = () => book.size > ROUNDS * 8 && bulks.size > 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        // A slow machine may complete few writes: the last process continues until there are some of each kind.
        const isLast = round + 1 === ROUNDS;
        await writeAndKill(book, bulks, 30 + Math.random() * 300, () => !isLast || isEnough());
        const engine = createSqliteEngine({ dataDir });
        await engine.start();
        for (const [id, acknowledged] of book) checkDocument(engine, id, acknowledged);
        for (const [id, size] of bulks) {
          for (let i = 0; i < size; i += 1) checkDocument(engine, `${id}-${i}`, 1);
        }
        await engine.stop();
        checkRows();
      }
    },
    ROUNDS * 20_000,
  );

  /** The change log leads to exactly the stored documents (LOG-1). */
  function checkLog(database: ReturnType<typeof openDatabase>, collectionNumber: number): void {
    const versions = new Map<string, number>();
    for (const row of database.prepare('SELECT id, kind, v FROM log ORDER BY seq').all()) {
      const id = String(row['id']);
      const before = versions.get(id) ?? 0;
      expect(Number(row['v']), `version of ${id} before a change`).toBe(before);
      if (row['kind'] === LOG_KIND.deleted) versions.delete(id);
      else versions.set(id, before + 1);
    }
    const stored = database.prepare(`SELECT id, v FROM docs_${collectionNumber}`).all();
    expect(versions).toEqual(new Map(stored.map((row) => [String(row['id']), Number(row['v'])])));
  }

  /** Unacknowledged writes must not leave torn rows either, and bulks are applied completely or not at all. */
  function checkRows(): void {
    const database = openDatabase(join(dataDir, 'millrace.db'), { readOnly: true });
    const collectionNumber = Number(database.prepare('SELECT k FROM collections').get()?.['k']);
    const bulkSizes = new Map<string, number>();
    for (const row of database.prepare(`SELECT id, v, j FROM docs_${collectionNumber}`).all()) {
      const id = String(row['id']);
      const version = Number(row['v']);
      expect(JSON.parse(String(row['j']))).toEqual({
        id,
        version,
        filler: expectedFiller(id, version),
      });
      const bulk = /^(\d+-\d+-\d+)-\d+$/.exec(id)?.[1];
      if (bulk !== undefined) bulkSizes.set(bulk, (bulkSizes.get(bulk) ?? 0) + 1);
    }
    checkLog(database, collectionNumber);
    database.close();
    expect([...bulkSizes.values()].filter((size) => size !== 40)).toEqual([]);
  }
});
