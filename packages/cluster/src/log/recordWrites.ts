import type { ChangeLog, CollectionName, StorageEngine } from '@millrace/kernel';
import type { WriteRecorder } from './WriteRecorder.js';

/** The engine with a change log that records its writes. */
export function recordWrites(
  engine: StorageEngine,
  changeLog: ChangeLog,
  recorder: WriteRecorder,
): StorageEngine {
  const recording: Partial<StorageEngine> = {
    changeLog,
    write: (operations, refresh, stamp, origin) =>
      recorder.write(operations, { refresh, stamp, origin }),
    truncate: (name: CollectionName) => recorder.wipe([name], () => engine.truncate(name)),
    deleteCollection: (name: CollectionName) =>
      recorder.wipe([name], () => engine.deleteCollection(name)),
    deleteIndex: (index: string) =>
      recorder.wipe(recorder.namesIn(index), () => engine.deleteIndex(index)),
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(recording, name)) return Reflect.get(recording, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
