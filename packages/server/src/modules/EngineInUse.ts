import type { StorageEngine } from '@millrace/kernel';
import type { EngineSwitch, WritingEngine } from '@millrace/move';
import { traceEngine } from './traceEngine.js';

/** The methods of an engine that change its data. */
const CHANGES = [
  'write',
  'createIndex',
  'deleteIndex',
  'setIndexSettings',
  'createCollection',
  'deleteCollection',
  'truncate',
  'updateMapping',
] as const satisfies readonly (keyof WritingEngine)[];

/** The other methods. An engine may lack some of them. */
const OTHERS = [
  'start',
  'stop',
  'describe',
  'ping',
  'health',
  'forget',
  'listIndexes',
  'hasIndex',
  'getIndexSettings',
  'listCollections',
  'hasCollection',
  'getMapping',
  'read',
  'readText',
  'readMany',
  'refresh',
  'search',
  'count',
  'openCursor',
  'scan',
] as const satisfies readonly (keyof StorageEngine)[];

type Methods = WritingEngine & Pick<StorageEngine, (typeof OTHERS)[number]>;

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

function bound(owner: object, names: readonly string[]): Record<string, unknown> {
  const methods = names.map((name) => {
    const method: unknown = Reflect.get(owner, name);
    return [name, typeof method === 'function' ? (method.bind(owner) as unknown) : undefined] as const;
  });
  return Object.fromEntries(methods);
}
