import {
  coreErrors,
  type JsonObject,
  type MaybePromise,
  type MemoryStoreEngine,
  type StorageEngine,
} from '@millrace/kernel';

/** Asks each service whether it works. */
export class HealthCheck {
  constructor(
    private readonly storage: StorageEngine,
    private readonly memoryStore: MemoryStoreEngine,
  ) {}

  /** @throws core.unhealthy (503) with the state of each service in `details` */
  async check(): Promise<JsonObject> {
    const [storage, memoryStorage] = await Promise.all([
      stateOf(() => this.storage.ping()),
      stateOf(() => this.memoryStore.ping()),
    ]);
    const services = { storage, memoryStorage };
    const down = Object.entries(services).filter(([, { state }]) => state === 'down');
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
