/*
 * Users in the internal index. A stored user contains the searchable values (profiles, suid and the free properties
 * that fit the mapping) and, in one field that engines don't index, the whole content as a JSON string with `gen` and
 * the kept token. Results are always built from the latter, so no kind of search can return anything else.
 */
import {
  documentErrors,
  INTERNAL_INDEX,
  isJsonObject,
  isThenable,
  queryErrors,
  securityErrors,
  STORAGE_ENGINE,
  storageErrors,
  type CollectionName,
  type JsonObject,
  type MaybePromise,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
  type WriteOperation,
} from '@millrace/kernel';
import {
  parseCount,
  parseMapping,
  parseSearch,
  QueryError,
  SourceSelection,
  toMappingBody,
  type SearchRequest,
} from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { isAccountId } from '../assertAccountId.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { InternalCollection, isError, written } from '../store/InternalCollection.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordCache } from '../store/RecordCache.js';
import { toDocuments, type PageArguments, type SearchPage } from '../store/SearchPage.js';
import { projectContent } from './projectContent.js';
import { RESERVED_FIELD } from './RESERVED_FIELD.js';
import { toPublicSource, toUserRecord, type UserParts, type UserRecord } from './UserRecord.js';

const DEFAULT_PAGE_SIZE = 20;

// Half of a mapping's limit: sign-ups can't use up the fields needed for properties set by administrators.
const MAX_SELF_MADE_FIELDS = 500;

// No date detection: a first user called "2024-01-01" would type the field as a date, and no other name could be found.
const MAPPING = parseMapping({
  dynamic: true,
  date_detection: false,
  properties: {
    profileIds: { type: 'keyword' },
    suid: { type: 'keyword' },
    [RESERVED_FIELD]: { type: 'object', enabled: false },
  },
});

/** A user found by a search, as returned in results. */
export interface FoundUser {
  readonly _id: string;
  readonly _source?: JsonObject;
}

/** Stores users. Doesn't know the profiles they have. */
@scoped(Scope.ContainerScoped)
export class UserStore {
  readonly collection: InternalCollection;
  private readonly cache: RecordCache<UserRecord>;

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(SECURITY_CONFIG) config: SecurityConfig,
  ) {
    this.collection = new InternalCollection(engine, index, 'users', MAPPING);
    this.cache = new RecordCache(
      config.cache.maxUsers,
      (id) => this.load(id),
      ({ content }) => content,
    );
  }

  get name(): CollectionName {
    return this.collection.name;
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** Returns a value if the user is cached. */
  find(id: string): MaybePromise<UserRecord | null> {
    return this.cache.get(id);
  }

  /** The user as stored now. */
  reload(id: string): MaybePromise<UserRecord | null> {
    return this.cache.reload(id);
  }

  /** @throws security.user_not_found (404) */
  async get(id: string): Promise<UserRecord> {
    const found = await this.find(id);
    if (found === null) throw securityErrors.user_not_found({ userId: id });
    return found;
  }

  /**
   * Writes a user, preceded by the operations `before`, in one call of the engine.
   * @param isSelfMade true if the user chose the content
   * @throws security.user_exists (409), document.version_conflict (409), document.not_found (404)
   */
  async put(
    parts: UserParts,
    condition: WriteCondition,
    before: readonly WriteOperation[] = [],
    isSelfMade = false,
  ): Promise<UserRecord> {
    const { id } = parts;
    const mapping = await this.engine.getMapping(this.name);
    const maxFields = isSelfMade ? MAX_SELF_MADE_FIELDS : Infinity;
    const searchable = projectContent(mapping, parts.content, maxFields);
    try {
      const outcomes = await this.write(parts, searchable, condition, before);
      // The property got another type in the meantime: stored, but not searchable.
      const isUnfit = outcomes.at(-1)?.status === 'failed' && isAboutContent(outcomes.at(-1));
      const final = isUnfit ? await this.write(parts, {}, condition, []) : outcomes;
      before.forEach((operation, at) => {
        if (operation.kind === 'put') written(outcomes[at]);
      });
      return toUserRecord(parts, written(final.at(-1)).version);
    } catch (error) {
      if (isError(error, documentErrors.already_exists)) {
        throw securityErrors.user_exists({ userId: id }, { cause: error });
      }
      throw error;
    } finally {
      this.cache.drop(id);
    }
  }

  /** @returns false if it didn't exist */
  async delete(id: string): Promise<boolean> {
    try {
      return await this.collection.delete(id);
    } finally {
      this.cache.drop(id);
    }
  }

  /**
   * Searches in the query language.
   * @throws query.invalid, query.forbidden, query.window_too_large (400)
   */
  async search(body: JsonObject, page: PageArguments, signal?: AbortSignal): Promise<SearchPage<FoundUser>> {
    try {
      const request = parseSearch(body, { ...page, defaultSize: DEFAULT_PAGE_SIZE });
      assertShowsUsers(request);
      const everything = { enabled: true, includes: [], excludes: [] };
      const outcome = await this.collection.search({ ...request, source: everything }, { signal });
      const selection = new SourceSelection(request.source);
      const hits = toDocuments(outcome.hits).map((document): FoundUser => {
        if (!request.source.enabled) return { _id: document.id };
        return {
          _id: document.id,
          _source: selection.select(toPublicSource(this.parse(document))),
        };
      });
      return { hits, total: outcome.total };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      throw queryErrors[error.kind]({ reason: error.message }, { cause: error });
    }
  }

  /** The number of all users. */
  count(): Promise<number> {
    return this.collection.count(parseCount({}));
  }

  countWithProfile(profileId: string): Promise<number> {
    return this.collection.count(parseCount({ query: { term: { profileIds: profileId } } }));
  }

  countWithSuid(suid: string): Promise<number> {
    return this.collection.count(parseCount({ query: { term: { suid } } }));
  }

  /** The mapping of free properties. */
  async getProperties(): Promise<JsonObject> {
    const body = toMappingBody(await this.engine.getMapping(this.name));
    return isJsonObject(body['properties']) ? body['properties'] : {};
  }

  /** Drops a cached user that another node has changed. */
  drop(id: string): void {
    this.cache.drop(id);
  }

  dropAll(): void {
    this.cache.dropAll();
  }

  private write(
    parts: UserParts,
    searchable: JsonObject,
    condition: WriteCondition,
    before: readonly WriteOperation[],
  ) {
    const { id, profileIds, suid, gen, keptTokenId, content, selfWritten } = parts;
    const reserved = { content: JSON.stringify(content), selfWritten, gen, keptTokenId };
    const source = { ...searchable, profileIds, suid, [RESERVED_FIELD]: reserved };
    return this.collection.write([...before, this.collection.putOperation(id, source, condition)]);
  }

  private load(id: string): MaybePromise<UserRecord | null> {
    if (!isAccountId(id)) return null;
    const read = this.collection.read(id);
    if (isThenable(read)) return read.then((document) => document && this.parse(document));
    return read && this.parse(read);
  }

  private parse({ id, version, source }: StoredDocument): UserRecord {
    const { profileIds, suid, [RESERVED_FIELD]: reserved } = source;
    const isWhole = Array.isArray(profileIds) && typeof suid === 'string' && isJsonObject(reserved);
    if (!isWhole || typeof reserved['gen'] !== 'string') {
      throw storageErrors.corrupt({ ...this.name, id });
    }
    const { gen, keptTokenId, selfWritten } = reserved;
    const parts: UserParts = {
      id,
      profileIds: profileIds as readonly string[],
      suid,
      content: parseJsonText(reserved['content'], this.name, id),
      // Absent in users stored before this field existed: the author is unknown.
      selfWritten: Array.isArray(selfWritten) ? (selfWritten as readonly string[]) : [],
      gen,
      keptTokenId: typeof keptTokenId === 'string' ? keptTokenId : null,
    };
    return toUserRecord(parts, version);
  }
}

type Outcome = Awaited<ReturnType<StorageEngine['write']>>[number];

function isAboutContent(outcome: Outcome | undefined): boolean {
  return outcome?.status === 'failed' && outcome.error.status === 400;
}

/**
 * The result consists of users and their number; options that would add more are refused rather than ignored
 * silently.
 */
function assertShowsUsers({ aggregations, highlight }: SearchRequest): void {
  const reason = 'A search for users gives users: it takes no aggregations and no highlight';
  if (aggregations.length > 0 || highlight !== undefined) throw queryErrors.invalid({ reason });
}
