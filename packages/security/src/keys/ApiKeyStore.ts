import {
  AddressRanges,
  RECORD_PLACE,
  RecordStore,
  storageErrors,
  type CollectionName,
  type JsonValue,
  type RecordPlace,
  type Session,
  type StoredDocument,
} from '@millrace/kernel';
import { parseCount, parseMapping, type Query } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { toPolicyBodies } from '../roles/parseProfile.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { tokenIdOf, type ApiKeyContent, type LoadedApiKey } from './ApiKeyRecord.js';

/** The content as stored: policies as in the body of a profile. */
type StoredContent = Omit<ApiKeyContent, 'id' | 'userId' | 'policies'> & {
  readonly policies: readonly JsonValue[] | null;
};

/** Stores API keys, in the collection `api-keys` of the internal index. A copied document is a working key. */
@scoped(Scope.ContainerScoped)
export class ApiKeyStore extends RecordStore<LoadedApiKey, ApiKeyContent> {
  constructor(@inject(RECORD_PLACE) place: RecordPlace, @inject(SECURITY_CONFIG) { cache }: SecurityConfig) {
    super(place, {
      collection: 'api-keys',
      mapping: parseMapping({ dynamic: false, properties: { userId: { type: 'keyword' } } }),
      parse: parseApiKeyDocument,
      toSource: (content) => ({ userId: content.userId, content: JSON.stringify(toStored(content)) }),
      cached: { maxCount: cache.maxApiKeys, contentOf: toStored },
    });
  }
}

/** The query for the keys of a user. */
export function keysOf(userId: string): Query {
  return parseCount({ query: { term: { userId } } });
}

function parseApiKeyDocument({ id, version, source }: StoredDocument, name: CollectionName): LoadedApiKey {
  const { userId, content } = source;
  if (typeof userId !== 'string') throw storageErrors.corrupt({ ...name, id });
  const stored = parseJsonText(content, name, id) as unknown as StoredContent;
  const { allowedAddresses, expiresAtMs, policies, serial, replaced } = stored;
  const endsAtMs = expiresAtMs ?? Infinity;
  return {
    ...stored,
    id,
    version,
    userId,
    policies: policies && parsePolicies({ policies }),
    ranges: allowedAddresses && new AddressRanges(allowedAddresses),
    session: sessionOf(id, serial, userId, endsAtMs),
    replacedSession:
      replaced === null ? null : sessionOf(id, serial - 1, userId, Math.min(endsAtMs, replaced.endsAtMs)),
  };
}

function toStored(content: ApiKeyContent): StoredContent {
  const { suid, name, policies, allowedAddresses, hash, serial, replaced } = content;
  const { createdAtMs, createdBy, expiresAtMs, lifeMs } = content;
  return {
    suid,
    name,
    policies: policies && toPolicyBodies(policies),
    allowedAddresses,
    createdAtMs,
    createdBy,
    expiresAtMs,
    lifeMs,
    hash,
    serial,
    replaced,
  };
}

function sessionOf(id: string, serial: number, userId: string, expiresAtMs: number): Session {
  return { tokenId: tokenIdOf(id, serial), userId, expiresAtMs, apiKeyId: id };
}
