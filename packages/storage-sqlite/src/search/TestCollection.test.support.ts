import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_RESULT_BYTES, type JsonObject, type SearchOutcome } from '@millrace/kernel';
import {
  compileMapping,
  deriveDynamicFields,
  mergeMapping,
  parseCount,
  parseMapping,
  parseSearch,
  toMappingBody,
  type CompiledMapping,
  type Mapping,
} from '@millrace/query';
import { toOutcome } from '@millrace/search';
import { openDatabase } from '../openDatabase.js';
import { rowChecksum } from '../storedText.js';
import { collectionChecksum, prepareCatalog } from '../schema/catalogTables.js';
import { createCollectionTables } from '../schema/collectionTables.js';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';
import { SearchTasks } from './SearchTasks.js';

/** A database with one collection, written as the writer would write it. Only for tests and the benchmark. */
export class TestCollection {
  readonly number = 1;
  readonly tasks: SearchTasks;
  readonly databaseFile: string;
  readonly caughtUp: (readonly [collectionNumber: number, tombstoneNumber: number])[] = [];
  private readonly directory = mkdtempSync(join(tmpdir(), 'millrace-search-'));
  private readonly database: SqliteDatabase;
  private mapping: Mapping;
  private compiled: CompiledMapping;
  private mappingVersion = 0;
  private n = 0;
  private lastTombstone = 0;

  constructor(mapping: JsonObject = { properties: {} }) {
    this.databaseFile = join(this.directory, 'millrace.db');
    this.database = openDatabase(this.databaseFile);
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    prepareCatalog(this.database);
    createCollectionTables(this.database, this.number);
    this.mapping = parseMapping(mapping);
    this.compiled = compileMapping(this.mapping);
    this.saveMapping();
    this.tasks = new SearchTasks({
      databaseFile: this.databaseFile,
      onCaughtUp: (collectionNumber, tombstoneNumber) => this.caughtUp.push([collectionNumber, tombstoneNumber]),
      maxResultBytes: MAX_RESULT_BYTES,
    });
  }

  /** Writes documents in one transaction; existing ids are replaced. */
  put(documents: Readonly<Record<string, JsonObject>>): this {
    this.database.exec('BEGIN');
    const insert = this.database.prepare(`INSERT INTO docs_${this.number}(n, id, v, c, j) VALUES(?, ?, ?, ?, ?)`);
    const find = this.database.prepare(`SELECT n, v FROM docs_${this.number} WHERE id = ?`);
    for (const [id, source] of Object.entries(documents)) {
      const additions = deriveDynamicFields(this.compiled, source);
      if (additions !== undefined) this.updateMapping(additions);
      const version = this.bury(id, find) + 1;
      const json = JSON.stringify(source);
      this.n += 1;
      insert.run(this.n, id, version, rowChecksum(version, id, json), json);
    }
    this.database.exec('COMMIT');
    return this;
  }

  delete(...ids: readonly string[]): this {
    const find = this.database.prepare(`SELECT n, v FROM docs_${this.number} WHERE id = ?`);
    for (const id of ids) this.bury(id, find);
    return this;
  }

  updateMapping(update: Mapping): void {
    this.mapping = mergeMapping(this.mapping, update);
    this.compiled = compileMapping(this.mapping, this.compiled);
    this.saveMapping();
  }

  search(body: JsonObject): SearchOutcome {
    const request = parseSearch(body);
    return toOutcome(this.tasks.run({ type: 'search', collectionNumber: this.number, request }));
  }

  count(body: JsonObject): number {
    return Number(this.tasks.run({ type: 'count', collectionNumber: this.number, query: parseCount(body) }).json);
  }

  /** The ids of the hits in their order. */
  ids(body: JsonObject): string[] {
    return this.search({ size: 1000, ...body }).hits.map((hit) => hit.id);
  }

  /** Runs SQL on the writing connection. */
  exec(sql: string): void {
    this.database.exec(sql);
  }

  close(): void {
    this.tasks.close();
    this.database.close();
    rmSync(this.directory, { recursive: true });
  }

  /** @returns the version of the deleted document, 0 for none */
  private bury(id: string, find: SqliteStatement): number {
    const row = find.get(id);
    if (row === undefined) return 0;
    this.lastTombstone += 1;
    this.database.exec(`
      INSERT INTO old_${this.number} SELECT * FROM docs_${this.number} WHERE n = ${Number(row['n'])};
      INSERT INTO gone_${this.number} VALUES(${this.lastTombstone}, ${Number(row['n'])});
      DELETE FROM docs_${this.number} WHERE n = ${Number(row['n'])}`);
    return Number(row['v']);
  }

  private saveMapping(): void {
    this.mappingVersion += 1;
    const mapping = JSON.stringify(toMappingBody(this.mapping));
    const row = {
      collectionNumber: this.number,
      index: 'shop',
      collection: 'things',
      mapping,
      mappingVersion: this.mappingVersion,
    };
    this.database
      .prepare('INSERT OR REPLACE INTO collections VALUES(?, ?, ?, ?, ?, ?)')
      .run(row.collectionNumber, row.index, row.collection, mapping, row.mappingVersion, collectionChecksum(row));
  }
}
