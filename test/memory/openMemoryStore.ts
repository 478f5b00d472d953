import {
  checkArguments,
  createRequest,
  Hooks,
  MillraceError,
  readTarget,
  silentLogger,
  type ActionDefinition,
  type Connection,
  type JsonValue,
  type MemoryStoreEngine,
  type RequestFields,
} from '@millrace/kernel';
import {
  assembleMemoryStore,
  EmbeddedEngine,
  memoryStoreConfig,
  type EmbeddedEngineOptions,
  type MemoryStoreConfig,
} from '@millrace/memory-store';
import { createRedisEngine, type RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import { redisMemoryStoreConfig } from '@millrace/server';

/** A memory store over some engine, asked through its actions as the pipeline does. */
export interface OpenMemoryStore {
  readonly engine: MemoryStoreEngine;
  readonly hooks: Hooks;
  /** Runs an action on a lasting connection (`id` or `id@address`); rejects with its error. */
  call(action: string, fields?: RequestFields, connectionId?: string): Promise<JsonValue>;
  /** The result, or the error as `{ status, id, message }`. */
  outcome(action: string, fields?: RequestFields, connectionId?: string): Promise<JsonValue>;
  close(): Promise<void>;
}

/** The defaults of a configuration section. */
function defaultsOf<T>(schema: object): T {
  const entries = Object.entries(schema).map(([key, leaf]) => [key, (leaf as { default: unknown }).default]);
  return Object.fromEntries(entries) as T;
}

/** An embedded engine; without `dataDir` it keeps nothing. */
export function embeddedEngine(options: Partial<EmbeddedEngineOptions> = {}): EmbeddedEngine {
  const { sync, maxMemory, evictionPolicy, maxValueBytes } = defaultsOf<MemoryStoreConfig>(memoryStoreConfig);
  return new EmbeddedEngine({ sync, maxMemory, evictionPolicy, maxValueBytes, ...options });
}

/** A Redis engine with quick limits. */
export function redisEngine(
  url: string,
  config: Partial<RedisMemoryStoreConfig> = {},
  logger = silentLogger,
): MemoryStoreEngine {
  const defaults = defaultsOf<RedisMemoryStoreConfig>(redisMemoryStoreConfig);
  return createRedisEngine({ config: { ...defaults, url, ...config }, logger });
}

/** Starts the engine and puts the service over it. */
export async function openMemoryStore(
  engine: MemoryStoreEngine,
  config: Partial<MemoryStoreConfig> = {},
): Promise<OpenMemoryStore> {
  await engine.start();
  const hooks = new Hooks(silentLogger, 1_000);
  const { store, actions: list } = assembleMemoryStore({
    engine,
    config: { ...defaultsOf<MemoryStoreConfig>(memoryStoreConfig), ...config },
    hooks,
  });
  await store.start();
  const actions = new Map(list.map((action) => [action.action, action]));
  const call = (action: string, fields: RequestFields = {}, connectionId = 'test') =>
    run(actions.get(action), { controller: 'ms', action, ...fields }, toConnection(connectionId));
  return {
    engine,
    hooks,
    call,
    outcome: (action, fields, connectionId) =>
      call(action, fields, connectionId).catch((error: unknown) => {
        if (!(error instanceof MillraceError)) throw error;
        const { status, id, message } = error;
        return { status, id, message };
      }),
    close: async () => {
      await store.stop();
      await engine.stop();
    },
  };
}

function toConnection(id: string): Connection {
  const [, remoteAddress = ''] = id.split('@');
  return { id, protocol: id.startsWith('http') ? 'http' : 'test', remoteAddress };
}

async function run(
  action: ActionDefinition | undefined,
  fields: RequestFields,
  connection: Connection,
): Promise<JsonValue> {
  if (action?.run === undefined) throw new Error(`no action ${String(fields['action'])}`);
  const request = createRequest(fields, connection);
  if (request.fault !== null) throw request.fault;
  request.target = readTarget(action, request);
  return (await action.run(checkArguments(action, request))) as JsonValue;
}
