import { join } from 'node:path';
import { EMBEDDED_ENGINE } from '@millrace/backup';
import {
  CLOCK,
  INTERNAL_INDEX,
  withoutLogins,
  type CopyableEngine,
  type Lifecycle,
  type ModuleHost,
  type StorageEngine,
} from '@millrace/kernel';
import { Adoption, EngineFile, MOVES, Moves, type MovedTo } from '@millrace/move';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { beginNewLog, DATABASE_NAME, SqliteEngine } from '@millrace/storage-sqlite';
import { importElasticsearchEngine } from '../engines/importEngines.js';
import { FileSecretStore } from './FileSecretStore.js';
import { invalidValue, type ServerConfig } from '../config.js';
import { EngineInUse } from './EngineInUse.js';
import { createEmbedded } from './engineModules.js';

/** A storage engine, and what starts it. */
export interface StartedEngine {
  readonly engine: StorageEngine;
  readonly component: Lifecycle;
}

/**
 * The configured engine, which may have moved.
 * @throws core.invalid_config if the data folder says that the documents are elsewhere
 */
export function movableEngine(chosen: StorageEngine, host: ModuleHost): StartedEngine {
  const { settings, services, log } = host;
  const { dataDir } = settings.section<ServerConfig>('server');
  const { elasticsearch: config } = settings.section<{
    readonly elasticsearch: ElasticsearchConfig;
  }>('storage');
  const file = new EngineFile(dataDir);
  const moved = file.read();
  if (chosen.isShared === true || !(chosen instanceof SqliteEngine)) {
    if (chosen.isShared !== true || moved?.phase !== 'moved') return { engine: chosen, component: chosen };
    assertSamePlace(moved, config, file);
    const secrets = new FileSecretStore(join(dataDir, 'signing-key.json'), log);
    const internalIndex = services.resolve(INTERNAL_INDEX);
    const parts = { engine: chosen, file, moved, secrets: () => secrets.all(), internalIndex, log };
    const adoption = new Adoption(parts);
    return { engine: chosen, component: adoption };
  }
  if (moved !== undefined) assertMoved(moved, config, file);
  const inUse = new EngineInUse(chosen);
  const moves = new Moves({
    inUse,
    sqlite: chosen,
    file,
    internalIndex: services.resolve(INTERNAL_INDEX),
    config,
    openElasticsearch: async (): Promise<CopyableEngine> => {
      const { createElasticsearchEngine } = await importElasticsearchEngine();
      return createElasticsearchEngine({ config, logger: log });
    },
    openSqlite: () => {
      beginNewLog(join(dataDir, DATABASE_NAME), 0);
      return createEmbedded(host, 'unrecorded');
    },
    clock: services.resolve(CLOCK),
    log,
  });
  services.registerInstance(MOVES, moves);
  services.registerInstance(EMBEDDED_ENGINE, () => moves.embedded);
  return { engine: inUse.registered, component: moves };
}

/** @throws core.invalid_config */
function assertMoved(moved: MovedTo, config: ElasticsearchConfig, file: EngineFile): void {
  if (moved.phase === 'adopted') {
    throw invalidValue(
      'storage.engine',
      `the documents have been in Elasticsearch (${moved.node}) alone since storage.engine was "elasticsearch", and the database of the data folder is old: expected "elasticsearch". Remove ${file.path} to use the old database`,
    );
  }
  assertSamePlace(moved, config, file);
}

/** @throws core.invalid_config */
function assertSamePlace({ node, prefix }: MovedTo, config: ElasticsearchConfig, { path }: EngineFile): void {
  if (withoutLogins(config.node) !== node)
    throw invalidValue('storage.elasticsearch.node', `${path} says that the documents are at ${node}`);
  if (config.prefix !== prefix)
    throw invalidValue('storage.elasticsearch.prefix', `${path} says that it is "${prefix}"`);
}
