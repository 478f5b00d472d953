import {
  KeyedQueue,
  retryOnConflict,
  securityErrors,
  type JsonObject,
  type Logger,
  type MaybePromise,
  type WriteCondition,
} from '@millrace/kernel';
import type { Actor } from '../Actor.js';
import { assertAccountId } from '../assertAccountId.js';
import type { Audit } from '../Audit.js';
import type { RightsTable } from '../RightsTable.js';
import { BUILT_IN_IDS } from '../rights/BUILT_IN_ROLES.js';
import type { RightsStore, StoredRecord } from './RightsStore.js';
import type { StructureLock } from './StructureLock.js';

/** Services that changes of roles and profiles use. */
export interface RecordServices {
  readonly rights: RightsTable;
  readonly lock: StructureLock;
  readonly audit: Audit;
  readonly log: Logger;
}

/**
 * Roles or profiles with their rules: records they refer to exist, one in use or built in can't be deleted, and a
 * change applies to the next request and is audited.
 */
export abstract class RecordCatalog<T> {
  private readonly queue = new KeyedQueue();

  constructor(
    protected readonly store: RightsStore<T>,
    private readonly services: RecordServices,
  ) {}

  /** @throws security.invalid_id, security.invalid_{role,profile} (400), security.{role,profile}_exists (409) */
  create(id: string, body: JsonObject, actor: Actor): Promise<StoredRecord<T>> {
    return this.change(id, actor, () => this.writeNew(id, body, 'absent', actor));
  }

  /** @throws security.invalid_id, security.invalid_{role,profile} (400) */
  createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<StoredRecord<T>> {
    return this.change(id, actor, () => this.writeNew(id, body, 'any', actor));
  }

  /**
   * Merges the change into a role; replaces the policies of a profile.
   * @throws security.invalid_{role,profile} (400), security.{role,profile}_not_found (404)
   */
  update(id: string, body: JsonObject, actor: Actor): Promise<StoredRecord<T>> {
    const { store } = this;
    const merge = async () => {
      const { content, version } = await store.get(id);
      return this.write(id, store.rights.merge(id, content, body), version, actor);
    };
    return this.change(id, actor, () => retryOnConflict(merge));
  }

  /** @throws security.built_in, security.{role,profile}_in_use (412), security.{role,profile}_not_found (404) */
  async delete(id: string, actor: Actor): Promise<void> {
    const { noun, notFound } = this.store.rights;
    if (BUILT_IN_IDS.some((each) => each === id)) {
      throw securityErrors.built_in({ what: noun, id });
    }
    await this.services.lock.exclude(async () => {
      await this.store.get(id);
      await this.assertUnused(id);
      if (!(await this.store.delete(id))) throw notFound(id);
    });
    this.changed(id, 'deleted', actor);
  }

  /** Checks the records that the content refers to. @throws security.invalid_{role,profile} (400) */
  protected assertReferences?(content: T): Promise<void>;

  /** @throws security.api_key_not_accepted (403) for what the API key of the actor may not give */
  protected abstract assertWithinKey(content: T, actor: Actor): MaybePromise<void>;

  /** Warnings for the author of a write. */
  protected abstract warningsOf(content: T): MaybePromise<readonly string[]>;

  /** @throws security.{role,profile}_in_use (412) */
  protected abstract assertUnused(id: string): Promise<void>;

  private async writeNew(
    id: string,
    body: JsonObject,
    condition: 'absent' | 'any',
    actor: Actor,
  ): Promise<StoredRecord<T>> {
    assertAccountId(this.store.rights.noun, id);
    return this.write(id, this.store.rights.parseBody(id, body), condition, actor);
  }

  private async write(id: string, content: T, condition: WriteCondition, actor: Actor): Promise<StoredRecord<T>> {
    await this.assertWithinKey(content, actor);
    await this.assertReferences?.(content);
    return this.store.save(id, content, condition);
  }

  private async change(id: string, actor: Actor, task: () => Promise<StoredRecord<T>>): Promise<StoredRecord<T>> {
    const stored = await this.services.lock.share(() => this.queue.run(id, task));
    this.changed(id, stored.isNew === true ? 'created' : 'updated', actor);
    const warnings = await this.warningsOf(stored.content);
    if (warnings.length === 0) return stored;
    const { noun } = this.store.rights;
    this.services.log.warn({ [`${noun}Id`]: id, warnings }, `a ${noun} was written with warnings`);
    return { ...stored, warnings };
  }

  private changed(id: string, change: 'created' | 'updated' | 'deleted', actor: Actor): void {
    const { rights, audit } = this.services;
    rights.dropAll();
    audit.recordChanged(this.store.rights.noun, { id, change, by: actor.userId });
  }
}
