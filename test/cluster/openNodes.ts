import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '@millrace/auth-local';
import {
  definePlugin,
  silentLogger,
  type JsonObject,
  type Logger,
  type Plugin,
  type RequestFields,
  type ResponseMessage,
  type StorageEngine,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { freePort, startRedis, type StartedRedis } from '../memory/startRedis.js';
import { MemoryProtocol, type MemoryClient } from '../realtime/MemoryProtocol.js';
import { RedisProxy } from './RedisProxy.js';

/** One node of a cluster in this process. */
export interface Node {
  readonly kernel: Kernel;
  /** Its address over HTTP. */
  readonly url: string;
  /** The addresses of all its protocols. */
  readonly urls: readonly string[];
  connect(): MemoryClient;
  /** A request of a separate client, with a token or none. */
  ask(fields: RequestFields): Promise<ResponseMessage>;
  /** As `ask`, for what must succeed. */
  result(fields: RequestFields): Promise<JsonObject>;
  health(): Promise<JsonObject>;
  stop(): Promise<void>;
}

type AroundWrite = (
  operations: readonly WriteOperation[],
  write: () => Promise<readonly WriteOutcome[]>,
) => Promise<readonly WriteOutcome[]>;

/** Several nodes in this process over one store and one separate Redis. */
export interface Nodes {
  readonly nodes: readonly Node[];
  readonly redisPort: number;
  /** Set: makes each write to the store by calling `write`. */
  aroundWrite: AroundWrite | undefined;
  /** Set: awaited after each write to the store, before its node learns the outcome. */
  afterWrite: ((operations: readonly WriteOperation[]) => Promise<void>) | undefined;
  /** Set: awaited before each deletion of an index in the store. */
  beforeDeletion: (() => Promise<void>) | undefined;
  /** One more. */
  add(): Promise<Node>;
  /** One more, whose way to Redis can be cut. */
  addBehindProxy(): Promise<{ readonly node: Node; readonly proxy: RedisProxy }>;
  stopRedis(): Promise<void>;
  startRedis(): Promise<void>;
  close(): Promise<void>;
}

/** How the nodes differ from the usual ones. */
export interface NodesOptions {
  /** Redis keeps its data over a restart. */
  readonly isDurable?: boolean;
  /** The values of `realtime.history`. */
  readonly history?: JsonObject;
  /** Called for each node: the engine that it uses, started. */
  readonly openEngine?: () => Promise<StorageEngine>;
  readonly logger?: Logger;
}

/** Starts nodes that share an embedded engine, which real nodes can't: so tests need no Elasticsearch. */
export async function openNodes(
  count: number,
  cluster: JsonObject = {},
  plugins: readonly Plugin[] = [],
  { isDurable = false, history = {}, openEngine, logger = silentLogger }: NodesOptions = {},
): Promise<Nodes> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-cluster-'));
  const engine = createSqliteEngine({ dataDir });
  await engine.start();
  const port = await freePort();
  // A Redis that keeps its data over a restart, or loses it.
  const kept = isDurable ? { dir: await mkdtemp(join(tmpdir(), 'millrace-redis-')) } : {};
  let redis: StartedRedis | undefined = await startRedis(port, kept);
  const own: StorageEngine[] = [];
  const engineOfNode = async () => {
    if (openEngine === undefined) return engine;
    const opening = await openEngine();
    own.push(opening);
    return opening;
  };
  const nodes: Node[] = [];
  const proxies: RedisProxy[] = [];
  const add = async (url = `redis://127.0.0.1:${port}`) => {
    const shared = sharedEngine(await engineOfNode(), opened);
    const node = await openNode(url, [shared, ...plugins], { cluster, history, logger });
    nodes.push(node);
    return node;
  };
  const opened: Nodes = {
    nodes,
    redisPort: port,
    aroundWrite: undefined,
    afterWrite: undefined,
    beforeDeletion: undefined,
    add: () => add(),
    addBehindProxy: async () => {
      const proxy = new RedisProxy(port);
      proxies.push(proxy);
      return { node: await add(await proxy.start()), proxy };
    },
    stopRedis: async () => {
      await redis?.close();
      redis = undefined;
    },
    startRedis: async () => {
      redis ??= await startRedis(port, kept);
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      for (const proxy of proxies) proxy.close();
      await redis?.close();
      for (const each of own) await each.stop();
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
      if (kept.dir !== undefined) await rm(kept.dir, { recursive: true, force: true });
    },
  };
  try {
    for (let i = 0; i < count; i++) await add();
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** The engine as a plugin brings it; its owner opens and closes it. */
function sharedEngine(
  engine: StorageEngine,
  hooks: Pick<Nodes, 'aroundWrite' | 'afterWrite' | 'beforeDeletion'>,
): Plugin {
  const asItIs = async () => undefined;
  const facade = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'start' || name === 'stop') return asItIs;
      if (name === 'isShared') return true;
      if (name === 'write') {
        return async (...args: Parameters<StorageEngine['write']>) => {
          const write = () => target.write(...args);
          const outcomes = await (hooks.aroundWrite?.(args[0], write) ?? write());
          await hooks.afterWrite?.(args[0]);
          return outcomes;
        };
      }
      if (name === 'deleteIndex') {
        return async (...args: Parameters<StorageEngine['deleteIndex']>) => {
          await hooks.beforeDeletion?.();
          return target.deleteIndex(...args);
        };
      }
      // As with Elasticsearch: the nodes record in their stream.
      if (name === 'changeLog') return undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return definePlugin({
    name: 'shared-engine',
    kernel: '^0.1.0',
    setup: (host) => host.engine('storage', 'shared', () => facade),
  });
}

async function openNode(
  redis: string,
  more: readonly Plugin[],
  { cluster, history, logger }: { cluster: JsonObject; history: JsonObject; logger: Logger },
): Promise<Node> {
  const protocol = new MemoryProtocol();
  const dataDir = join(tmpdir(), 'millrace-cluster-unused');
  const kernel = new Kernel({
    plugins: [...more, protocol.plugin, localAuth()],
    logger,
    config: {
      http: { port: 0 },
      server: { dataDir },
      storage: { engine: 'shared' },
      realtime: { history },
      memoryStore: { engine: 'redis', redis: { url: redis } },
      cluster: { enabled: true, redis: { url: redis, silenceTimeoutMs: 1_000 }, ...cluster },
    },
  });
  const addresses = await kernel.start();
  const ask = async (fields: RequestFields) => {
    const client = protocol.connect();
    try {
      return await client.request(fields);
    } finally {
      client.close();
    }
  };
  return {
    kernel,
    urls: addresses.map(({ url }) => url),
    url: addresses.find(({ url }) => url.startsWith('http'))?.url ?? '',
    connect: () => protocol.connect(),
    ask,
    result: async (fields) => {
      const { status, error, result } = await ask(fields);
      if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(error)}`);
      return result as JsonObject;
    },
    health: async () => {
      const { result, error } = await ask({ controller: 'server', action: 'healthCheck' });
      // Where the memory store is away as well, the answer is an error that says the same.
      return (result ?? (error as unknown as { details: JsonObject }).details) as JsonObject;
    },
    stop: () => kernel.stop(),
  };
}

/** Waits until something holds. @throws after so long, with what it was */
export async function eventually<T>(
  read: () => T | Promise<T>,
  isRight: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (performance.now() > endMs) throw new Error(`after ${withinMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
