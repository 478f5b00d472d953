import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, type CopyableEngine } from '@millrace/kernel';
import { EngineFile, Moves } from '@millrace/move';
import { beginNewLog, createSqliteEngine, DATABASE_NAME } from '@millrace/storage-sqlite';
import { EngineInUse } from '../../packages/server/src/modules/EngineInUse.js';

/** The internal index of the tests. */
export const INTERNAL = '%kit';

/** A storage engine that can move to a second embedded engine, which is in the place of Elasticsearch. */
export class MovableStore {
  private constructor(readonly folder: string) {}

  static async create(): Promise<MovableStore> {
    return new MovableStore(await mkdtemp(join(tmpdir(), 'millrace-move-')));
  }

  /** Starts a process's worth of engines on the folder. @param wrap changes the target */
  async open(wrap: (target: CopyableEngine) => CopyableEngine = (target) => target) {
    const dataDir = join(this.folder, 'a');
    const embedded = createSqliteEngine({
      dataDir,
      history: {
        collections: 'all',
        maxAgeMs: 900_000,
        maxBytes: 2 ** 28,
        maxPinnedAgeMs: 900_000,
        maxPinnedBytes: 2 ** 28,
      },
      internalIndex: INTERNAL,
    });
    const targets: CopyableEngine[] = [];
    const inUse = new EngineInUse(embedded);
    const moves = new Moves({
      inUse,
      sqlite: embedded,
      file: new EngineFile(dataDir),
      internalIndex: INTERNAL,
      config: { node: 'http://target', prefix: 'millrace' },
      openElasticsearch: async () => {
        const target = wrap(createSqliteEngine({ dataDir: join(this.folder, 'b') }));
        targets.push(target);
        return target;
      },
      openSqlite: () => {
        beginNewLog(join(dataDir, DATABASE_NAME), 0);
        return createSqliteEngine({ dataDir });
      },
      clock: systemClock,
      log: silentLogger,
    });
    await moves.start();
    const engine = inUse.registered;
    if (!(await engine.hasIndex(INTERNAL))) await engine.createIndex(INTERNAL);
    return { engine, embedded, moves, target: () => targets.at(-1) as CopyableEngine };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
