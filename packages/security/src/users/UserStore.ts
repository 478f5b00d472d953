/*
 * Users in the internal index. A stored user contains the searchable values (profiles, suid and the free properties
 * that fit the mapping) and, in one field that engines don't index, the whole content as a JSON string with `gen` and
 * the kept token. Results are always built from the latter, so no kind of search can return anything else.
 */
import {
  documentErrors,
  isError,
  isJsonObject,
  KeyedQueue,
  queryErrors,
  RECORD_PLACE,
  RecordStore,
  securityErrors,
  storageErrors,
  written,
  type CollectionName,
  type JsonObject,
  type RecordPlace,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
  type WriteOperation,
} from '@millrace/kernel';
import {
  EVERY_DOCUMENT,
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
import { parseJsonText } from '../store/parseJsonText.js';
import type { PageArguments } from '../store/termsSearch.js';
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

/** A user to write, with the part of its properties that can be searched. */
interface WrittenUser extends UserParts {
  readonly searchable: JsonObject;
}

/** Stores users. Doesn't know the profiles they have. */
@scoped(Scope.ContainerScoped)
export class UserStore extends RecordStore<UserRecord, WrittenUser> {
  private readonly turns = new KeyedQueue();

  constructor(@inject(RECORD_PLACE) place: RecordPlace, @inject(SECURITY_CONFIG) { cache }: SecurityConfig) {
    super(place, {
      collection: 'users',
      mapping: MAPPING,
      parse: parseUser,
      toSource,
      isId: isAccountId,
      cached: { maxCount: cache.maxUsers, contentOf: ({ content }) => content },
    });
  }

  /** Runs a write of a user, or of the user's API keys, after the earlier ones. */
  inTurn<T>(id: string, task: () => Promise<T>): Promise<T> {
    return this.turns.run(id, task);
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
  async save(
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
      const outcomes = await this.writeAfter(before, { ...parts, searchable }, condition);
      // The property got another type in the meantime: stored, but not searchable.
      const isUnfit = outcomes.at(-1)?.status === 'failed' && isAboutContent(outcomes.at(-1));
      const final = isUnfit ? await this.writeAfter([], { ...parts, searchable: {} }, condition) : outcomes;
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
      this.drop(id);
    }
  }

  /**
   * Searches in the query language.
   * @throws query.invalid, query.forbidden, query.window_too_large (400)
   */
  async searchUsers(
    body: JsonObject,
    page: PageArguments,
    signal?: AbortSignal,
  ): Promise<{ readonly hits: readonly FoundUser[]; readonly total: number }> {
    try {
      const request = parseSearch(body, { ...page, defaultSize: DEFAULT_PAGE_SIZE });
      assertShowsUsers(request);
      const everything = { enabled: true, includes: [], excludes: [] };
      const { records, total } = await this.search({ ...request, source: everything }, { signal });
      const selection = new SourceSelection(request.source);
      const hits = records.map((record): FoundUser => {
        if (!request.source.enabled) return { _id: record.id };
        return { _id: record.id, _source: selection.show(toPublicSource(record), null) };
      });
      return { hits, total };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      throw queryErrors[error.kind]({ reason: error.message }, { cause: error });
    }
  }

  /** The number of all users. */
  countAll(): Promise<number> {
    return this.count(EVERY_DOCUMENT);
  }

  countWithProfile(profileId: string): Promise<number> {
    return this.count(parseCount({ query: { term: { profileIds: profileId } } }));
  }

  countWithSuid(suid: string): Promise<number> {
    return this.count(parseCount({ query: { term: { suid } } }));
  }

  /** The mapping of free properties. */
  async getProperties(): Promise<JsonObject> {
    const body = toMappingBody(await this.engine.getMapping(this.name));
    return isJsonObject(body['properties']) ? body['properties'] : {};
  }

  private writeAfter(before: readonly WriteOperation[], user: WrittenUser, condition: WriteCondition) {
    return this.engine.write([...before, this.putOperation(user.id, user, condition)], true);
  }
}

function toSource({ searchable, profileIds, suid, content, selfWritten, gen, keptTokenId }: WrittenUser): JsonObject {
  const reserved = { content: JSON.stringify(content), selfWritten, gen, keptTokenId };
  return { ...searchable, profileIds, suid, [RESERVED_FIELD]: reserved };
}

function parseUser({ id, version, source }: StoredDocument, name: CollectionName): UserRecord {
  const { profileIds, suid, [RESERVED_FIELD]: reserved } = source;
  const isWhole = Array.isArray(profileIds) && typeof suid === 'string' && isJsonObject(reserved);
  if (!isWhole || typeof reserved['gen'] !== 'string') throw storageErrors.corrupt({ ...name, id });
  const { gen, keptTokenId, selfWritten } = reserved;
  const parts: UserParts = {
    id,
    profileIds: profileIds as readonly string[],
    suid,
    content: parseJsonText(reserved['content'], name, id),
    // Absent in users stored before this field existed: the author is unknown.
    selfWritten: Array.isArray(selfWritten) ? (selfWritten as readonly string[]) : [],
    gen,
    keptTokenId: typeof keptTokenId === 'string' ? keptTokenId : null,
  };
  return toUserRecord(parts, version);
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
