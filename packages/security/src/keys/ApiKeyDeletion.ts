import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { ApiKeyStore, keysOf } from './ApiKeyStore.js';
import { ApiKeyUses } from './ApiKeyUses.js';
import type { ApiKeyRecord } from './ApiKeyRecord.js';

/** Deletes API keys, with the record of their use. */
@scoped(Scope.ContainerScoped)
export class ApiKeyDeletion {
  constructor(
    @inject(ApiKeyStore) private readonly store: ApiKeyStore,
    @inject(ApiKeyUses) private readonly uses: ApiKeyUses,
    @inject(Audit) private readonly audit: Audit,
  ) {}

  /** @param by acting user @returns false if it didn't exist */
  async delete({ id, userId }: ApiKeyRecord, by: string): Promise<boolean> {
    const wasThere = await this.store.delete(id);
    await this.uses.delete(id);
    if (wasThere) this.audit.apiKeyChanged({ keyId: id, userId, change: 'deleted', by });
    return wasThere;
  }

  /** Deletes all keys of a user, whether or not the user exists. */
  async deleteAll(userId: string, by: string): Promise<void> {
    for await (const key of this.store.scan(keysOf(userId))) await this.delete(key, by);
  }
}
