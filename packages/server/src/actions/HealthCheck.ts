import { coreErrors, type JsonObject, type StorageEngine } from '@millrace/kernel';

/** Asks each service whether it works. */
export class HealthCheck {
  constructor(private readonly storage: StorageEngine) {}

  /** @throws core.unhealthy (503) with the state of each service in `details` */
  async check(): Promise<JsonObject> {
    const storage = await this.stateOfStorage();
    const services = { storage, memoryStorage: { state: 'absent' } };
    if (storage.state === 'up') return { state: 'up', services };
    throw coreErrors.unhealthy({ services: 'storage' }, { details: { state: 'down', services } });
  }

  private async stateOfStorage(): Promise<JsonObject & { readonly state: string }> {
    try {
      await this.storage.ping();
      return { state: 'up' };
    } catch {
      return { state: 'down' };
    }
  }
}
