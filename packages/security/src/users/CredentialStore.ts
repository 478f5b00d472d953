/*
 * Stores the credentials of users apart from the users, so that no search for users can reach them. The id consists
 * of strategy and suid, and the document contains its owner: credentials left behind by a crash don't log anyone else
 * in.
 */
import { createHash } from 'node:crypto';
import {
  RECORD_PLACE,
  RecordStore,
  type JsonObject,
  type MaybePromise,
  type RecordKind,
  type RecordPlace,
  type WriteCondition,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parseJsonText } from '../store/parseJsonText.js';
import type { UserParts } from './UserRecord.js';

/** The owner of credentials. */
export type Owner = Pick<UserParts, 'id' | 'suid'>;

/** Credentials with their owner. */
export interface StoredCredentials {
  readonly userId: string;
  readonly stored: JsonObject;
  readonly version: number;
}

/** Assigns an identity to a user. */
export interface StoredClaim {
  readonly owner: Owner;
  readonly version: number;
}

/** Credentials to write. */
interface OwnedCredentials {
  readonly owner: Owner;
  readonly stored: JsonObject;
}

const KIND: RecordKind<StoredCredentials, OwnedCredentials> = {
  collection: 'credentials',
  mapping: parseMapping({ dynamic: false, properties: { suidHash: { type: 'keyword' } } }),
  parse: ({ id, version, source: { userId, content } }, name) => ({
    userId: typeof userId === 'string' ? userId : '',
    stored: parseJsonText(content, name, id),
    version,
  }),
  toSource: ({ owner: { id, suid }, stored }) => ({
    suidHash: hash(suid),
    userId: id,
    content: JSON.stringify(stored),
  }),
};

/** Stores credentials, and the users behind the identities that strategies know. */
@scoped(Scope.ContainerScoped)
export class CredentialStore {
  private readonly records: RecordStore<StoredCredentials, OwnedCredentials>;

  constructor(@inject(RECORD_PLACE) place: RecordPlace) {
    this.records = new RecordStore(place, KIND);
  }

  ensure(): Promise<void> {
    return this.records.ensure();
  }

  /** Reads credentials, whoever owns them. */
  read(strategy: string, suid: string): MaybePromise<StoredCredentials | null> {
    return this.records.find(toId(strategy, suid));
  }

  /** Write operations that store a user's new credentials; null removes them. */
  operations(owner: Owner, prepared: ReadonlyMap<string, JsonObject | null>): readonly WriteOperation[] {
    return [...prepared].map(([strategy, stored]) => {
      const id = toId(strategy, owner.suid);
      return stored === null
        ? this.records.deleteOperation(id)
        : this.records.putOperation(id, { owner, stored }, 'any');
    });
  }

  /** @throws document.already_exists, document.not_found, depending on `condition` */
  async put(strategy: string, owner: Owner, stored: JsonObject, condition: WriteCondition): Promise<void> {
    await this.records.put(toId(strategy, owner.suid), { owner, stored }, condition);
  }

  /** The user that an identity is assigned to, whether that user exists or not. */
  async readClaim(strategy: string, identity: string): Promise<StoredClaim | null> {
    const found = await this.records.find(toClaimId(strategy, identity));
    if (found === null) return null;
    const { userId, stored, version } = found;
    const suid = typeof stored['suid'] === 'string' ? stored['suid'] : '';
    return { owner: { id: userId, suid }, version };
  }

  /** Assigns an identity, unless the condition doesn't hold. */
  async tryPutClaim(strategy: string, identity: string, { id, suid }: Owner, condition: WriteCondition): Promise<void> {
    await this.records.tryPut(toClaimId(strategy, identity), { owner: { id, suid }, stored: { suid } }, condition);
  }

  /** Deletes the credentials of every strategy, installed or not, and the identities. */
  async deleteAll(suid: string): Promise<void> {
    const query = parseCount({ query: { term: { suidHash: hash(suid) } } });
    for await (const ids of this.records.scanIds(query)) await this.records.deleteMany(ids);
  }
}

function toId(strategy: string, suid: string): string {
  return `${hash(suid)}:${hash(strategy).slice(0, 32)}`;
}

function toClaimId(strategy: string, identity: string): string {
  return `identity:${hash(strategy).slice(0, 32)}:${hash(identity)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
