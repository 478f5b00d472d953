import {
  INTERNAL_INDEX,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type JsonObject,
  type Logger,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordStore, type RecordKind } from '../store/RecordStore.js';
import type { PageArguments, SearchPage } from '../store/SearchPage.js';

const KIND: RecordKind = {
  noun: 'profile',
  collection: 'profiles',
  mapping: parseMapping({ dynamic: false, properties: { policies: { type: 'keyword' } } }),
  notFound: (id) => securityErrors.profile_not_found({ profileId: id }),
  exists: (id, cause) => securityErrors.profile_exists({ profileId: id }, { cause }),
};

/** A profile with its version. */
export interface StoredProfile {
  readonly id: string;
  readonly version: number;
  readonly policies: readonly Policy[];
  readonly isNew?: boolean;
  /** Warnings for the author of a write; only in the response to that write. */
  readonly warnings?: readonly string[];
}

/** Stores profiles. Knows neither the roles they contain nor the users who have them. */
@scoped(Scope.ContainerScoped)
export class ProfileStore extends RecordStore<StoredProfile> {
  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) log: Logger,
  ) {
    super(engine, index, log, KIND);
  }

  /** @throws security.invalid_user (400) naming the first missing profile */
  async assertExist(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if ((await this.find(id)) !== null) continue;
      const reason = `no profile ${JSON.stringify(id.slice(0, 100))}`;
      throw securityErrors.invalid_user({ reason });
    }
  }

  /** @throws security.invalid_id (400), security.profile_exists (409) */
  create(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    return this.keep(id, policies, 'absent');
  }

  createOrReplace(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    return this.keep(id, policies, 'any');
  }

  /** @throws security.profile_not_found (404) */
  async update(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    const { version } = await this.get(id);
    const updated = await this.keep(id, policies, version);
    return { id, version: updated.version, policies };
  }

  /** @param roleIds returns only profiles that have a policy with one of these roles; empty: all */
  search(
    roleIds: readonly string[],
    page: PageArguments,
    signal?: AbortSignal,
  ): Promise<SearchPage<StoredProfile>> {
    return this.searchPage({ policies: roleIds }, page, signal);
  }

  /** The number of profiles that contain the role. */
  countWithRole(roleId: string): Promise<number> {
    return this.collection.count(parseCount({ query: { term: { policies: roleId } } }));
  }

  protected parse({ id, version, source }: StoredDocument): StoredProfile {
    const body = parseJsonText(source['content'], this.name, id);
    return { id, version, policies: parsePolicies(body) };
  }

  private async keep(
    id: string,
    policies: readonly Policy[],
    condition: WriteCondition,
  ): Promise<StoredProfile> {
    const roleIds = [...new Set(policies.map(({ roleId }) => roleId))];
    const source = { policies: roleIds, content: JSON.stringify({ policies: toBody(policies) }) };
    const { status, version } = await this.put(id, source, condition);
    return { id, version, policies, isNew: status === 'created' };
  }
}

/** Policies as stored and returned: with the role under both its names (SEC-20). */
export function toBody(policies: readonly Policy[]): readonly JsonObject[] {
  return policies.map(({ roleId, restrictedTo }) => ({
    _id: roleId,
    roleId,
    ...(restrictedTo === null
      ? undefined
      : { restrictedTo: restrictedTo.map((restriction) => ({ ...restriction })) }),
  }));
}
