/*
 * Roles, kept as the text of what was sent: their keys are the user's and must not become fields. What is searched for
 * (names of indexes and controllers) stands beside it.
 */
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
import { parseMapping } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { assertAccountId, isAccountId } from '../assertAccountId.js';
import { mergeRoleBody } from '../rights/mergeRoleBody.js';
import { parseRole } from '../rights/parseRole.js';
import type { Role } from '../rights/Role.js';
import { InternalCollection, isError } from '../store/InternalCollection.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordCache } from '../store/RecordCache.js';
import { termsSearch, toDocuments, type PageArguments, type SearchPage } from '../store/SearchPage.js'; // prettier-ignore
import { namesInRole } from './namesInRole.js';

/** Roles kept in memory. */
const MAX_CACHED = 10_000;

const MAPPING = parseMapping({
  dynamic: false,
  properties: { indexes: { type: 'keyword' }, controllers: { type: 'keyword' } },
});

/** A role with its version. */
export interface StoredRole {
  readonly id: string;
  readonly version: number;
  readonly role: Role;
  /** True where a write made it. */
  readonly isNew?: boolean;
}

/** What a search for roles asks for; names are compared as written. */
export interface RoleSearch extends PageArguments {
  readonly indexes?: readonly string[] | undefined;
  readonly controllers?: readonly string[] | undefined;
}

/** Keeps roles. Knows nothing of who names them. */
@injectable()
export class RoleStore {
  private readonly collection: InternalCollection;
  private readonly cache: RecordCache<StoredRole>;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) private readonly log: Logger,
  ) {
    this.collection = new InternalCollection(engine, index, 'roles', MAPPING);
    this.cache = new RecordCache(MAX_CACHED, (id) => this.load(id));
  }

  get name(): CollectionName {
    return this.collection.name;
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** From memory where it is at hand. */
  find(id: string): MaybePromise<StoredRole | null> {
    return this.cache.get(id);
  }

  /** @throws security.role_not_found (404) */
  async get(id: string): Promise<StoredRole> {
    const found = await this.find(id);
    if (found === null) throw securityErrors.role_not_found({ roleId: id });
    return found;
  }

  /** @throws security.invalid_role, security.invalid_id (400), security.role_exists (409) */
  create(id: string, body: JsonObject): Promise<StoredRole> {
    return this.put(parseNew(id, body), 'absent');
  }

  /** @throws security.invalid_role, security.invalid_id (400) */
  createOrReplace(id: string, body: JsonObject): Promise<StoredRole> {
    return this.put(parseNew(id, body), 'any');
  }

  /** Merges the change into the role. @throws security.role_not_found (404), security.invalid_role (400) */
  async update(id: string, change: JsonObject): Promise<StoredRole> {
    const { role, version } = await this.get(id);
    const updated = await this.put(parseRole(id, mergeRoleBody(role.body, change)), version);
    return { id, version: updated.version, role: updated.role };
  }

  /** @throws security.role_not_found (404) */
  async delete(id: string): Promise<void> {
    const isThere = isAccountId(id) && (await this.collection.delete(id));
    this.cache.drop(id);
    if (!isThere) throw securityErrors.role_not_found({ roleId: id });
  }

  /** Those that are there, in the order of `ids`. */
  async getMany(ids: readonly string[]): Promise<readonly StoredRole[]> {
    const documents = await this.collection.readMany(ids.filter(isAccountId));
    return documents.flatMap((document) => this.parse(document) ?? []);
  }

  /** @throws query.window_too_large (400) */
  async search({ indexes = [], controllers = [], ...page }: RoleSearch): Promise<SearchPage<StoredRole>> {
    const outcome = await this.collection.search(termsSearch({ indexes, controllers }, page));
    const hits = toDocuments(outcome.hits).flatMap((document) => this.parse(document) ?? []);
    return { hits, total: outcome.total };
  } // prettier-ignore

  /** Forgets what is in memory: another node has changed it. */
  drop(id: string): void {
    this.cache.drop(id);
  }

  dropAll(): void {
    this.cache.dropAll();
  }

  private async put(role: Role, condition: WriteCondition): Promise<StoredRole> {
    const { id, body } = role;
    const source = { ...namesInRole(role), content: JSON.stringify(body) };
    try {
      const { status, version } = await this.collection.put(id, source, condition);
      return { id, version, role, isNew: status === 'created' };
    } catch (error) {
      if (isError(error, documentErrors.already_exists)) {
        throw securityErrors.role_exists({ roleId: id }, { cause: error });
      }
      throw error;
    } finally {
      this.cache.drop(id);
    }
  }

  private load(id: string): MaybePromise<StoredRole | null> {
    if (!isAccountId(id)) return null;
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.parse(document));
    return read && this.parse(read);
  }

  /** A role that this version can't read grants nothing, rather than making its users' requests fail. */
  private parse({ id, version, source }: StoredDocument): StoredRole | null {
    try {
      return { id, version, role: parseRole(id, parseJsonText(source['content'], this.name, id)) };
    } catch (error) {
      this.log.error({ roleId: id, err: error }, 'a stored role cannot be read: it grants nothing');
      return null;
    }
  }
}

function parseNew(id: string, body: JsonObject): Role {
  assertAccountId('role', id);
  return parseRole(id, body);
}
