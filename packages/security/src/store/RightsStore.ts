import {
  documentErrors,
  isError,
  MAX_RESULT_BYTES,
  RecordStore,
  type JsonObject,
  type Logger,
  type MillraceError,
  type RecordPlace,
  type WriteCondition,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import { assertAccountId, isAccountId } from '../assertAccountId.js';
import { parseJsonText } from './parseJsonText.js';

/** Maximum of cached records. */
const MAX_CACHED = 10_000;

/** Describes the records that grant rights, roles or profiles: their content `T`, its form and its errors. */
export interface RightsKind<T> {
  readonly noun: 'role' | 'profile';
  readonly collection: string;
  readonly mapping: Mapping;
  readonly notFound: (id: string) => MillraceError;
  readonly exists: (id: string, cause: Error) => MillraceError;
  /** @throws security.invalid_role, security.invalid_profile (400) */
  readonly parseBody: (id: string, body: JsonObject) => T;
  /** The content as stored and returned. */
  readonly toBody: (content: T) => JsonObject;
  /** The content after an update. @throws as `parseBody` */
  readonly merge: (id: string, content: T, change: JsonObject) => T;
  /** The names by which a record can be found, by field of the mapping. */
  readonly terms: (content: T) => Readonly<Record<string, readonly string[]>>;
}

/** A record with its version. */
export interface StoredRecord<T> {
  readonly id: string;
  readonly version: number;
  readonly content: T;
  /** True if a write created it; absent for updates and reads. */
  readonly isNew?: boolean;
  /** Warnings for the author of a write; only in the response to that write. */
  readonly warnings?: readonly string[];
}

/**
 * Stores roles or profiles, as JSON strings: their keys come from users and must not become fields. Every request reads
 * them and they seldom change, so they are cached. Doesn't know which records refer to each other.
 */
export abstract class RightsStore<T> extends RecordStore<StoredRecord<T>, T> {
  constructor(
    place: RecordPlace,
    log: Logger,
    readonly rights: RightsKind<T>,
  ) {
    const { noun, collection, mapping, parseBody, toBody, terms } = rights;
    super(place, {
      collection,
      mapping,
      isId: isAccountId,
      // A record that this version can't read grants nothing; failing would block all requests of its users.
      parse: ({ id, version, source }, name) => {
        try {
          return { id, version, content: parseBody(id, parseJsonText(source['content'], name, id)) };
        } catch (error) {
          log.error({ [`${noun}Id`]: id, err: error }, `a stored ${noun} cannot be read: it grants nothing`);
          return null;
        }
      },
      toSource: (content) => ({ ...terms(content), content: JSON.stringify(toBody(content)) }),
      cached: { maxCount: MAX_CACHED, contentOf: ({ content }) => toBody(content) },
    });
  }

  /** @throws security.role_not_found, security.profile_not_found (404) */
  async get(id: string): Promise<StoredRecord<T>> {
    const found = await this.find(id);
    if (found === null) throw this.rights.notFound(id);
    return found;
  }

  /** The existing records, in the order of `ids`. @throws query.result_too_large (400) */
  getMany(ids: readonly string[]): Promise<readonly StoredRecord<T>[]> {
    return this.readMany(ids, { maxBytes: MAX_RESULT_BYTES });
  }

  /** @throws security.invalid_id (400), security.profile_exists, security.role_exists (409) */
  async save(id: string, content: T, condition: WriteCondition): Promise<StoredRecord<T>> {
    assertAccountId(this.rights.noun, id);
    try {
      const { status, version } = await this.put(id, content, condition);
      const isUpdate = typeof condition === 'number';
      return { id, version, content, ...(isUpdate ? undefined : { isNew: status === 'created' }) };
    } catch (error) {
      throw isError(error, documentErrors.already_exists) ? this.rights.exists(id, error) : error;
    }
  }
}
