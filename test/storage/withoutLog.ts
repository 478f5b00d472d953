import type { StorageEngine } from '@millrace/kernel';

/** An engine without its change log, as Elasticsearch. */
export function withoutLog(engine: StorageEngine): StorageEngine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'changeLog') return undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
