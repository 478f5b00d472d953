import {
  coreErrors,
  type EngineHealth,
  type JsonObject,
  type MemoryStoreEngine,
  type NodeLink,
  type StorageEngine,
} from '@millrace/kernel';
import { describeFailure } from './describeFailure.js';

/** What both kinds of engine have in common for health. */
type Probed = Pick<StorageEngine, 'health'> & Pick<MemoryStoreEngine, 'ping'>;

/**
 * Reports whether each service works, and what is wrong. A service that answers reads but fails otherwise, such as on a
 * full disk, is `degraded`, and the answer stays 200: a load balancer that took the node out would end the reads and
 * subscriptions that work, and with one node it would take out the only one. 503 is for a service that does not answer.
 */
export class HealthCheck {
  constructor(
    private readonly storage: StorageEngine,
    private readonly memoryStore: MemoryStoreEngine,
    private readonly link: NodeLink,
    /** What an operator should look at although every service works. */
    private readonly warnings: () => readonly string[],
  ) {}

  /** @throws core.unhealthy (503) with the state of each service in `details`, where one is down */
  async check(): Promise<JsonObject> {
    const { storage, memoryStore } = this;
    const [storageHealth, memoryHealth] = await Promise.all([
      healthOf(storage),
      // An engine whose log can't be written goes on answering reads.
      healthOf(memoryStore, () => memoryStore.run(['DBSIZE'])),
    ]);
    const engines = { storage: storageHealth, memoryStorage: memoryHealth };
    const services: Record<string, JsonObject> = {
      storage: { ...storageHealth },
      memoryStorage: { ...memoryHealth },
    };
    // Out of touch with the others, a node goes on by itself: turning it away would turn one problem into two.
    if (this.link.isClustered) services['cluster'] = this.link.describe();
    const states = Object.values(engines).map(({ state }) => state);
    if (!states.includes('down')) {
      const state = states.includes('degraded') ? 'degraded' : 'up';
      const warnings = this.warnings();
      return warnings.length === 0 ? { state, services } : { state, services, warnings };
    }
    const names = Object.entries(engines).flatMap(([name, { state }]) =>
      state === 'down' ? [name] : [],
    );
    throw coreErrors.unhealthy(
      { services: names.join(', ') },
      { details: { state: 'down', services } },
    );
  }
}

/** @param read a command that reads: distinguishes an engine that only fails to write from one that does not answer */
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
