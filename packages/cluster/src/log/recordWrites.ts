import type { ChangeLog, CollectionName, StorageEngine } from '@millrace/kernel';
import type { Holes } from './Holes.js';
import type { RemovalRecorder } from './RemovalRecorder.js';
import type { WriteRecorder } from './WriteRecorder.js';

/** What records. */
export interface Recorders {
  readonly writes: WriteRecorder;
  readonly removals: RemovalRecorder;
  /** The recorded collections of an index. */
  readonly namesIn: (index: string) => readonly CollectionName[];
  readonly holes: Holes;
}

/** The engine with a change log that records its writes. */
export function recordWrites(
  engine: StorageEngine,
  changeLog: ChangeLog,
  { writes, removals, namesIn, holes }: Recorders,
): StorageEngine {
  const recording: Partial<StorageEngine> = {
    changeLog,
    write: (operations, refresh, stamp, origin) => writes.write(operations, { refresh, stamp, origin }),
    truncate: (name, origin) => removals.remove([name], () => engine.truncate(name), origin),
    deleteCollection: (name, origin) => removals.remove([name], () => engine.deleteCollection(name), origin),
    // Collections that aren't recorded yet wait for it.
    deleteIndex: (index, origin) =>
      holes.track(removals.remove(namesIn(index), () => engine.deleteIndex(index), origin)),
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(recording, name)) return Reflect.get(recording, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
