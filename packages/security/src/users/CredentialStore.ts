/*
 * Stores the credentials of users apart from the users, so that no search for users can reach them. The id consists
 * of strategy and suid, and the document contains its owner: credentials left behind by a crash don't log anyone else
 * in.
 */
import { createHash } from 'node:crypto';
import {
  INTERNAL_INDEX,
  isThenable,
  STORAGE_ENGINE,
  type JsonObject,
  type MaybePromise,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { InternalCollection } from '../store/InternalCollection.js';
import { parseJsonText } from '../store/parseJsonText.js';
import type { UserParts } from './UserRecord.js';

const MAPPING = parseMapping({ dynamic: false, properties: { suidHash: { type: 'keyword' } } });

/** The owner of credentials. */
export type Owner = Pick<UserParts, 'id' | 'suid'>;

/** Credentials with their owner. */
export interface StoredCredentials {
  readonly userId: string;
  readonly stored: JsonObject;
}

/** Assigns an identity to a user. */
export interface StoredClaim {
  readonly owner: Owner;
  readonly version: number;
}

/** Stores credentials, and the users behind the identities that strategies know. */
@scoped(Scope.ContainerScoped)
export class CredentialStore {
  private readonly collection: InternalCollection;

  constructor(@inject(STORAGE_ENGINE) engine: StorageEngine, @inject(INTERNAL_INDEX) index: string) {
    this.collection = new InternalCollection(engine, index, 'credentials', MAPPING);
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** Reads credentials, whoever owns them. */
  read(strategy: string, suid: string): MaybePromise<StoredCredentials | null> {
    const read = this.collection.read(toId(strategy, suid));
    if (isThenable(read)) return read.then((document) => document && this.parse(document));
    return read && this.parse(read);
  }

  /** Write operations that store a user's new credentials; null removes them. */
  operations(owner: Owner, prepared: ReadonlyMap<string, JsonObject | null>): readonly WriteOperation[] {
    return [...prepared].map(([strategy, stored]) =>
      stored === null
        ? this.collection.deleteOperation(toId(strategy, owner.suid))
        : this.putOperation(strategy, owner, stored, 'any'),
    );
  }

  private putOperation(
    strategy: string,
    { id, suid }: Owner,
    stored: JsonObject,
    condition: WriteCondition,
  ): WriteOperation {
    const source = { suidHash: hash(suid), userId: id, content: JSON.stringify(stored) };
    return this.collection.putOperation(toId(strategy, suid), source, condition);
  }

  /** @throws document.already_exists, document.not_found, depending on `condition` */
  async put(strategy: string, owner: Owner, stored: JsonObject, condition: WriteCondition): Promise<void> {
    const operation = this.putOperation(strategy, owner, stored, condition);
    const [outcome] = await this.collection.write([operation]);
    if (outcome?.status === 'failed') throw outcome.error;
  }

  /** The user that an identity is assigned to, whether that user exists or not. */
  async readClaim(strategy: string, identity: string): Promise<StoredClaim | null> {
    const document = await this.collection.read(toClaimId(strategy, identity));
    if (document === null) return null;
    const { userId, stored } = this.parse(document);
    const suid = typeof stored['suid'] === 'string' ? stored['suid'] : '';
    return { owner: { id: userId, suid }, version: document.version };
  }

  /** @throws document.already_exists, document.version_conflict, document.not_found, depending on `condition` */
  async putClaim(strategy: string, identity: string, { id, suid }: Owner, condition: WriteCondition): Promise<void> {
    const source = { suidHash: hash(suid), userId: id, content: JSON.stringify({ suid }) };
    await this.collection.put(toClaimId(strategy, identity), source, condition);
  }

  /** Deletes the credentials of every strategy, installed or not, and the identities. */
  async deleteAll(suid: string): Promise<void> {
    const query = parseCount({ query: { term: { suidHash: hash(suid) } } });
    for await (const ids of this.collection.scan(query)) {
      for (const id of ids) await this.collection.delete(id);
    }
  }

  private parse({ id, source }: StoredDocument): StoredCredentials {
    const { userId, content } = source;
    return {
      userId: typeof userId === 'string' ? userId : '',
      stored: parseJsonText(content, this.collection.name, id),
    };
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
