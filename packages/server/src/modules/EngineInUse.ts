import type { StorageEngine } from '@millrace/kernel';
import type { EngineSwitch, WritingEngine } from '@millrace/move';
import { traceEngine } from './traceEngine.js';

/** Members that stay while the engine is exchanged, and those that `EngineInUse` has itself. */
type Kept = 'changeLog' | 'givesPositions' | 'isShared' | 'maxSearches' | 'watchMaxSearches';
type Methods = Omit<StorageEngine, Kept>;

/** The methods that change data. */
const CHANGES: Readonly<Record<keyof WritingEngine, true>> = {
  write: true,
  createIndex: true,
  deleteIndex: true,
  setIndexSettings: true,
  createCollection: true,
  deleteCollection: true,
  truncate: true,
  updateMapping: true,
};

/** The other methods. An engine may lack some of them. */
const OTHERS: Readonly<Record<Exclude<keyof Methods, keyof WritingEngine>, true>> = {
  start: true,
  stop: true,
  describe: true,
  ping: true,
  health: true,
  forget: true,
  listIndexes: true,
  hasIndex: true,
  getIndexSettings: true,
  listCollections: true,
  hasCollection: true,
  getMapping: true,
  read: true,
  readText: true,
  readMany: true,
  refresh: true,
  search: true,
  count: true,
  openCursor: true,
  scan: true,
};

/**
 * The engine that has the documents of a server whose documents can move. Services call `registered`: its methods are
 * those of the engine in use, bound to it, so that no call passes through another object. A move exchanges the methods.
 */
export class EngineInUse implements EngineSwitch {
  readonly registered: StorageEngine;
  private engine: StorageEngine;
  private writer: WritingEngine;
  private onMoreSearches: () => void = () => undefined;

  /** @param first its change log is that of the server */
  constructor(first: StorageEngine) {
    this.engine = first;
    this.writer = first;
    const inUse = () => this.engine;
    this.registered = {
      ...(first.changeLog !== undefined && { changeLog: first.changeLog }),
      get maxSearches() {
        return inUse().maxSearches;
      },
      watchMaxSearches: (listener: () => void) => {
        this.onMoreSearches = listener;
        this.engine.watchMaxSearches?.(listener);
      },
      get givesPositions() {
        return inUse() === first && first.givesPositions === true;
      },
      ...methodsOf(first, first),
    } as StorageEngine;
  }

  isWrittenBy(writer: WritingEngine): boolean {
    return this.writer === writer;
  }

  use(engine: StorageEngine, writer: WritingEngine = engine): void {
    if (engine !== this.engine) engine.watchMaxSearches?.(this.onMoreSearches);
    this.engine = engine;
    this.writer = writer;
    Object.assign(this.registered, methodsOf(engine, writer));
  }
}

function methodsOf(engine: StorageEngine, writer: WritingEngine): Methods {
  return { ...bound(traceEngine(engine), OTHERS), ...bound(traceEngine(writer), CHANGES) } as Methods;
}

function bound(owner: object, names: object): Record<string, unknown> {
  const methods = Object.keys(names).map((name) => {
    const method: unknown = Reflect.get(owner, name);
    return [name, typeof method === 'function' ? (method.bind(owner) as unknown) : undefined] as const;
  });
  return Object.fromEntries(methods);
}
