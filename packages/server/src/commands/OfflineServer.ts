import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { missingData } from '@millrace/backup';
import { loadConfig, type JsonObject, type JsonValue, type StorageEngine } from '@millrace/kernel';
import type { AssembledServer } from '../AssembledServer.js';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../logging/createLogger.js';
import { prepareConfig } from '../configuration/prepareConfig.js';
import type { ServerConfig } from '../config.js';
import { ActionError } from '../targets/ActionError.js';
import type { OfflineTarget } from '../targets/ActionTarget.js';
import type { CommandCall } from './CommandCall.js';

/** Whoever can read the data directory may do everything. */
const OPERATOR = { _id: 'command-line', profileIds: ['admin'] };

/** How to open data. */
export interface OpenOptions {
  /** Creates the data folder if it has no data yet. */
  readonly beginsData?: boolean;
}

/** The data of a stopped server: the same server without entrypoints, as administrator. */
export class OfflineServer implements OfflineTarget {
  private constructor(
    private readonly server: AssembledServer,
    private readonly setupToken: string,
    /** Names the data, for people and for the positions of imports. */
    readonly name: string,
  ) {}

  /**
   * Opens the configured engines, whose lock keeps a server away.
   * @throws Error naming `--url` if a server runs, or may run; Error naming the data folder if it has no data
   */
  static async open(call: CommandCall, { beginsData = false }: OpenOptions = {}): Promise<OfflineServer> {
    const options = await call.kernelOptions();
    const setupToken = randomBytes(24).toString('base64url');
    const flags = { ...options.flags, 'security.setupToken': setupToken };
    const { plugins, schema, sources } = prepareConfig({ ...options, flags });
    const config = loadConfig(schema, sources);
    const { engine } = config.section<{ readonly engine: string }>('storage');
    const dataDir = resolve(config.section<ServerConfig>('server').dataDir);
    // A new folder in place of a mistyped one would look like lost data.
    const problem = beginsData || engine !== 'sqlite' ? undefined : missingData(dataDir);
    if (problem !== undefined) throw new Error(problem);
    const log = createLogger({ level: 'error', format: 'auto' });
    const server = await composeServer(config, plugins, log, { isOffline: true });
    const isJoined = config.section<{ readonly enabled: boolean }>('cluster').enabled;
    if (server.storage.isShared === true && !isJoined && !call.has('stopped')) {
      throw new Error(
        'Servers may be using this storage engine: pass --url URL of a running one, or --stopped if none runs',
      );
    }
    try {
      await server.start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const hint = message.includes('in use by another Millrace') ? '; pass --url URL of the running server' : '';
      throw new Error(message + hint, { cause: error });
    }
    return new OfflineServer(server, setupToken, `${engine} ${dataDir}`);
  }

  get internalIndex(): string {
    return this.server.internalIndex;
  }

  get storage(): StorageEngine {
    return this.server.storage;
  }

  async execute(controller: string, action: string, fields: JsonObject = {}): Promise<JsonValue> {
    const isSetup = action === 'createFirstAdmin';
    const message = { ...fields, ...(isSetup && { setupToken: this.setupToken }) };
    const request = { ...message, controller, action };
    const { error, result } = await this.server.execute(request, { user: OPERATOR });
    // 206: the result lists what failed.
    if (error === null || error.status === 206) return result;
    const { id, status, message: text } = error;
    throw new ActionError(typeof text === 'string' ? text : JSON.stringify(text), id, status);
  }

  close(): Promise<void> {
    return this.server.stop();
  }
}
