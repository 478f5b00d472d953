import {
  coreErrors,
  type EngineHealth,
  type JsonObject,
  type MemoryStoreEngine,
  type NodeLink,
  type StorageEngine,
} from '@millrace/kernel';

/** Meanings of operating-system error codes, for callers without a login: no path and no address. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the largest file size is reached',
  EIO: 'the device reports an input or output error',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'the host name is unknown',
  EHOSTUNREACH: 'the host is out of reach',
};

/** Maximum depth of causes examined. */
const MAX_DEPTH = 5;

/** The health methods common to both kinds of engine. */
type Probed = Pick<StorageEngine, 'health'> & Pick<MemoryStoreEngine, 'ping'>;

/**
 * Reports whether each service works, and the problem if it doesn't. A service that answers reads but fails
 * otherwise, for example because the disk is full, is `degraded` and the status stays 200: a load balancer that
 * removed the node would end working reads and subscriptions, and with a single node would remove the only one. 503
 * means that a service does not respond.
 */
export class HealthCheck {
  constructor(
    private readonly storage: StorageEngine,
    private readonly memoryStore: MemoryStoreEngine,
    private readonly link: NodeLink,
    /** Problems for the operator while all services work. */
    private readonly warnings: () => readonly string[],
    /** Age of the last good backup in seconds; undefined if there is none. */
    private readonly backupAge: () => number | undefined = () => undefined,
  ) {}

  /** @throws core.unhealthy (503) with the state of each service in `details`, if one is down */
  async check(): Promise<JsonObject> {
    const { storage, memoryStore } = this;
    const [storageHealth, memoryHealth] = await Promise.all([
      healthOf(storage),
      // An engine that can't write its log still answers reads.
      healthOf(memoryStore, () => memoryStore.run(['DBSIZE'])),
    ]);
    const engines = { storage: storageHealth, memoryStorage: memoryHealth };
    const services: Record<string, JsonObject> = {
      storage: { ...storageHealth },
      memoryStorage: { ...memoryHealth },
    };
    // A disconnected node keeps working alone: removing it from the load balancer would turn one problem into two.
    if (this.link.isClustered) services['cluster'] = this.link.describe();
    const states = Object.values(engines).map(({ state }) => state);
    if (!states.includes('down')) {
      const state = states.includes('degraded') ? 'degraded' : 'up';
      const warnings = this.warnings();
      const age = this.backupAge();
      return {
        state,
        services,
        ...(age === undefined ? undefined : { backup: { ageSeconds: Math.round(age) } }),
        ...(warnings.length === 0 ? undefined : { warnings }),
      };
    }
    const names = Object.entries(engines).flatMap(([name, { state }]) => (state === 'down' ? [name] : []));
    throw coreErrors.unhealthy({ services: names.join(', ') }, { details: { state: 'down', services } });
  }
}

/**
 * @param read a command that reads: distinguishes an engine that only fails to write from one that does not respond
 */
async function healthOf(engine: Probed, read?: () => unknown): Promise<EngineHealth> {
  try {
    if (engine.health !== undefined) return await engine.health();
    await engine.ping();
    return { state: 'up' };
  } catch (error) {
    const cause = describeFailure(error);
    if (read === undefined || !(await answers(read))) {
      return { state: 'down', reason: cause ?? 'it does not answer' };
    }
    return {
      state: 'degraded',
      reason: cause === undefined ? 'writes fail' : `writes fail: ${cause}`,
    };
  }
}

async function answers(read: () => unknown): Promise<boolean> {
  try {
    await read();
    return true;
  } catch {
    return false;
  }
}

/** The cause of an engine's failure as far as a public response may reveal it; undefined if unknown. */
function describeFailure(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth += 1) {
    const code: unknown = 'code' in current ? current.code : undefined;
    if (typeof code === 'string' && Object.hasOwn(MEANINGS, code)) return MEANINGS[code];
    current = current.cause;
  }
  return undefined;
}
