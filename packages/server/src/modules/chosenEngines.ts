import { join } from 'node:path';
import {
  CHANGE_LOG,
  INTERNAL_INDEX,
  MEMORY_STORE_ENGINE,
  NODE_LINK,
  SECRET_STORE,
  STORAGE_ENGINE,
  type EngineKind,
  type Lifecycle,
  type MemoryStoreEngine,
  type Module,
  type ModuleHost,
  type StorageEngine,
} from '@millrace/kernel';
import { MOVES } from '@millrace/move';
import { createLogFile, type LogFile } from '@millrace/storage-sqlite';
import { FileSecretStore } from './FileSecretStore.js';
import { invalidValue, type ServerConfig } from '../config.js';
import { toHistory, type HistoryValues } from '../engines/historyConfig.js';
import { importOptional } from '../imports/importOptional.js';
import type { Contributions } from './Contributions.js';
import { movableEngine } from './movableEngine.js';
import { traceEngine } from './traceEngine.js';

/**
 * Creates the configured engines (`storage.engine`, `memoryStore.engine`), once all modules that register engines
 * have been set up.
 */
export function chosenEngines({ engines }: Pick<Contributions, 'engines'>): Module {
  return {
    name: 'engines',
    async setup(host) {
      const chosen = (await choose('storage', engines, host)) as StorageEngine;
      const { engine, component } = movableEngine(chosen, host);
      const storage = await withChangeLog(engine, host);
      const memoryStore = (await choose('memoryStore', engines, host)) as MemoryStoreEngine;
      // One that can move traces the engine in use.
      const isMovable = host.services.isRegistered(MOVES);
      host.services.registerInstance(STORAGE_ENGINE, isMovable ? storage : traceEngine(storage));
      host.services.register(CHANGE_LOG, { useFactory: () => storage.changeLog ?? null });
      host.services.registerInstance(MEMORY_STORE_ENGINE, memoryStore);
      host.component('storage engine', () => component, 'engine');
      host.component('memory store engine', () => memoryStore, 'engine');
      if (storage.isShared === true) return;
      // Servers that share an engine need the same secrets and store them in the engine. Others use a file.
      const { dataDir } = host.settings.section<ServerConfig>('server');
      const secrets = new FileSecretStore(join(dataDir, 'signing-key.json'), host.log);
      host.services.registerInstance(SECRET_STORE, secrets);
    },
  };
}

/** @throws core.invalid_config for an unknown engine, and for one that nodes of a cluster can't share */
async function choose(
  kind: EngineKind,
  engines: Contributions['engines'],
  { settings, services }: ModuleHost,
): Promise<Lifecycle> {
  const { engine: name } = settings.section<{ readonly engine: string }>(kind);
  const create = engines.get(`${kind}:${name}`);
  if (create === undefined) {
    const known = [...engines.keys()]
      .filter((key) => key.startsWith(`${kind}:`))
      .map((key) => JSON.stringify(key.slice(kind.length + 1)));
    throw invalidValue(`${kind}.engine`, `expected ${known.join(' or ')}, got ${JSON.stringify(name)}`);
  }
  const engine: Lifecycle & { readonly isShared?: boolean } = await create();
  if (services.resolve(NODE_LINK).isClustered && engine.isShared !== true) {
    const expected = kind === 'storage' ? 'elasticsearch' : 'redis';
    throw invalidValue(`${kind}.engine`, `nodes of a cluster can not share "${name}", expected "${expected}"`);
  }
  return engine;
}

/** An engine without a change log gets one: the nodes of a cluster record in their stream, one server in a file. */
async function withChangeLog(engine: StorageEngine, host: ModuleHost): Promise<StorageEngine> {
  if (engine.changeLog !== undefined) return engine;
  const { services, settings, log: logger } = host;
  const link = services.resolve(NODE_LINK);
  if (link.isClustered) return link.record?.(engine) ?? engine;
  const loaded = await importOptional('@millrace/cluster', () => import('@millrace/cluster'));
  if (loaded === undefined) {
    logger.warn({}, 'there is no change log, so subscriptions are not resumed: npm install @millrace/cluster');
    return engine;
  }
  const { dataDir } = settings.section<ServerConfig>('server');
  const history = toHistory(settings.section<{ readonly history: HistoryValues }>('realtime').history);
  const file = await createLogFile({ dataDir, maxBytes: history.maxBytes, logger });
  const internalIndex = services.resolve(INTERNAL_INDEX);
  const problem = problemOf(file);
  if (problem !== undefined) {
    logger.warn({ reason: problem }, 'there is no change log, so subscriptions are not resumed');
    const start = () => loaded.LocalLog.markUnrecorded({ engine, internalIndex });
    host.component('change log', () => ({ start, stop: async () => undefined }), 'link');
    return engine;
  }
  const log = new loaded.LocalLog({ engine, file, history, internalIndex, logger });
  host.component('change log', () => log, 'link');
  return log.engine;
}

/** Why the file can't be opened. Such a server runs without a log: the documents are elsewhere. */
function problemOf(file: LogFile): string | undefined {
  try {
    file.open();
    file.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
