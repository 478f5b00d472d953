import {
  isThenable,
  isTraced,
  STORAGE_CHANNEL,
  type CollectionName,
  type StorageEngine,
  type StorageTrace,
} from '@millrace/kernel';

/** The methods that are traced: those that read and write documents. */
const TRACED: ReadonlySet<string | symbol> = new Set<keyof StorageEngine>([
  'read',
  'readText',
  'readMany',
  'write',
  'search',
  'count',
  'openCursor',
  'truncate',
]);

type Method = (...args: unknown[]) => unknown;

/**
 * Publishes the calls of an engine on the channel `millrace.storage`. An engine that no tool observes when the server is
 * composed stays as it is: tools subscribe before.
 */
export function traceEngine<T extends Pick<StorageEngine, 'write'>>(engine: T): T {
  if (!isTraced(STORAGE_CHANNEL)) return engine;
  const methods = new Map<string | symbol, unknown>();
  return new Proxy(engine, {
    get(target, name) {
      const known = methods.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = (value as Method).bind(target);
      const made = TRACED.has(name) ? traced(String(name), method) : method;
      methods.set(name, made);
      return made;
    },
  });
}

function traced(operation: string, method: Method): Method {
  return (...args) => {
    const [first, second] = args;
    // Reads name one collection, and perhaps several ids; writes are a list.
    const items = Array.isArray(first) ? first : second;
    const named: unknown = Array.isArray(first) ? first[0] : first;
    const trace: StorageTrace = {
      operation,
      target: isTarget(named) ? named : null,
      batchSize: Array.isArray(items) ? items.length : undefined,
    };
    return run(trace, () => method(...args));
  };
}

/** As `tracePromise`, but a call that answers at once stays synchronous. */
function run(trace: StorageTrace, call: () => unknown): unknown {
  const { start, end, asyncEnd, error } = STORAGE_CHANNEL;
  const fail = (cause: unknown) => {
    trace.error = cause;
    error.publish(trace);
  };
  return start.runStores(trace, () => {
    let result: unknown;
    try {
      result = call();
    } catch (cause) {
      fail(cause);
      end.publish(trace);
      throw cause;
    }
    if (!isThenable(result)) {
      end.publish(trace);
      return result;
    }
    return Promise.resolve(result).then(
      (value) => {
        asyncEnd.publish(trace);
        return value;
      },
      (cause: unknown) => {
        fail(cause);
        asyncEnd.publish(trace);
        throw cause;
      },
    );
  });
}

function isTarget(value: unknown): value is CollectionName {
  return typeof value === 'object' && value !== null && 'collection' in value;
}
