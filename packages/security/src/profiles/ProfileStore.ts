import {
  documentErrors,
  INTERNAL_INDEX,
  isThenable,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type CollectionName,
  type JsonObject,
  type Logger,
  type MaybePromise,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { assertAccountId, isAccountId } from '../assertAccountId.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import { InternalCollection, isError } from '../store/InternalCollection.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordCache } from '../store/RecordCache.js';
import { termsSearch, toDocuments, type PageArguments, type SearchPage } from '../store/SearchPage.js'; // prettier-ignore

/** Profiles kept in memory. */
const MAX_CACHED = 10_000;

const MAPPING = parseMapping({ dynamic: false, properties: { policies: { type: 'keyword' } } });

/** A profile with its version. */
export interface StoredProfile {
  readonly id: string;
  readonly version: number;
  readonly policies: readonly Policy[];
  readonly isNew?: boolean;
}

/** Keeps profiles. Knows nothing of the roles they name, or of who has them. */
@injectable()
export class ProfileStore {
  private readonly collection: InternalCollection;
  private readonly cache: RecordCache<StoredProfile>;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) private readonly log: Logger,
  ) {
    this.collection = new InternalCollection(engine, index, 'profiles', MAPPING);
    this.cache = new RecordCache(MAX_CACHED, (id) => this.load(id));
  }

  get name(): CollectionName {
    return this.collection.name;
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** From memory where it is at hand. */
  find(id: string): MaybePromise<StoredProfile | null> {
    return this.cache.get(id);
  }

  /** @throws security.profile_not_found (404) */
  async get(id: string): Promise<StoredProfile> {
    const found = await this.find(id);
    if (found === null) throw securityErrors.profile_not_found({ profileId: id });
    return found;
  }

  /** @throws security.invalid_user (400) naming the first that doesn't exist */
  async assertExist(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if ((await this.find(id)) !== null) continue;
      const reason = `no profile ${JSON.stringify(id.slice(0, 100))}`;
      throw securityErrors.invalid_user({ reason });
    }
  }

  /** @throws security.invalid_id (400), security.profile_exists (409) */
  create(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    return this.put(id, policies, 'absent');
  }

  createOrReplace(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    return this.put(id, policies, 'any');
  }

  /** @throws security.profile_not_found (404) */
  async update(id: string, policies: readonly Policy[]): Promise<StoredProfile> {
    const { version } = await this.get(id);
    const updated = await this.put(id, policies, version);
    return { id, version: updated.version, policies };
  }

  /** @throws security.profile_not_found (404) */
  async delete(id: string): Promise<void> {
    const isThere = isAccountId(id) && (await this.collection.delete(id));
    this.cache.drop(id);
    if (!isThere) throw securityErrors.profile_not_found({ profileId: id });
  }

  /** Those that are there, in the order of `ids`. */
  async getMany(ids: readonly string[]): Promise<readonly StoredProfile[]> {
    const documents = await this.collection.readMany(ids.filter(isAccountId));
    return documents.flatMap((document) => this.parse(document) ?? []);
  }

  /** @param roleIds those that have a policy with one of these roles; none: all */
  async search(
    roleIds: readonly string[],
    page: PageArguments,
  ): Promise<SearchPage<StoredProfile>> {
    const outcome = await this.collection.search(termsSearch({ policies: roleIds }, page));
    const hits = toDocuments(outcome.hits).flatMap((document) => this.parse(document) ?? []);
    return { hits, total: outcome.total };
  }

  /** How many profiles name the role. */
  countWithRole(roleId: string): Promise<number> {
    return this.collection.count(parseCount({ query: { term: { policies: roleId } } }));
  }

  /** Forgets what is in memory: another node has changed it. */
  drop(id: string): void {
    this.cache.drop(id);
  }

  dropAll(): void {
    this.cache.dropAll();
  }

  private async put(
    id: string,
    policies: readonly Policy[],
    condition: WriteCondition,
  ): Promise<StoredProfile> {
    assertAccountId('profile', id);
    const roleIds = [...new Set(policies.map(({ roleId }) => roleId))];
    const source = { policies: roleIds, content: JSON.stringify({ policies: toBody(policies) }) };
    try {
      const { status, version } = await this.collection.put(id, source, condition);
      return { id, version, policies, isNew: status === 'created' };
    } catch (error) {
      if (isError(error, documentErrors.already_exists)) {
        throw securityErrors.profile_exists({ profileId: id }, { cause: error });
      }
      throw error;
    } finally {
      this.cache.drop(id);
    }
  }

  private load(id: string): MaybePromise<StoredProfile | null> {
    if (!isAccountId(id)) return null;
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.parse(document));
    return read && this.parse(read);
  }

  private parse({ id, version, source }: StoredDocument): StoredProfile | null {
    try {
      const body = parseJsonText(source['content'], this.name, id);
      return { id, version, policies: parsePolicies(body) };
    } catch (error) {
      const message = 'a stored profile cannot be read: it grants nothing';
      this.log.error({ profileId: id, err: error }, message);
      return null;
    }
  }
}

/** Policies as they are stored and returned: the role under both its names (decisions.md section 7). */
export function toBody(policies: readonly Policy[]): readonly JsonObject[] {
  return policies.map(({ roleId, restrictedTo }) => ({
    _id: roleId,
    roleId,
    ...(restrictedTo === null
      ? undefined
      : { restrictedTo: restrictedTo.map((restriction) => ({ ...restriction })) }),
  }));
}
