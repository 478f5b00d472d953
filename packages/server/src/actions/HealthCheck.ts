import {
  coreErrors,
  type JsonObject,
  type MaybePromise,
  type MemoryStoreEngine,
  type NodeLink,
  type StorageEngine,
} from '@millrace/kernel';

/** Asks each service whether it works. */
export class HealthCheck {
  constructor(
    private readonly storage: StorageEngine,
    private readonly memoryStore: MemoryStoreEngine,
    private readonly link: NodeLink,
  ) {}

  /** @throws core.unhealthy (503) with the state of each service in `details` */
  async check(): Promise<JsonObject> {
    const [storage, memoryStorage] = await Promise.all([
      stateOf(() => this.storage.ping()),
      stateOf(() => this.memoryStore.ping()),
    ]);
    const services: Record<string, JsonObject & { readonly state: string }> = {
      storage,
      memoryStorage,
    };
    const down = Object.entries(services).filter(([, { state }]) => state === 'down');
    // Out of touch with the others, a node goes on by itself: to turn it away would make two troubles of one.
    if (this.link.isClustered) services['cluster'] = this.link.describe();
    if (down.length === 0) return { state: 'up', services };
    const names = down.map(([name]) => name).join(', ');
    throw coreErrors.unhealthy({ services: names }, { details: { state: 'down', services } });
  }
}

async function stateOf(
  ping: () => MaybePromise<void>,
): Promise<JsonObject & { readonly state: string }> {
  try {
    await ping();
    return { state: 'up' };
  } catch {
    return { state: 'down' };
  }
}
