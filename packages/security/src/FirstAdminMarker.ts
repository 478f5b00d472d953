/*
 * Records "an administrator exists" in one document with a fixed id: reading it takes one point read, and one
 * conditional write decides which request creates the first administrator. The document is claimed before the user is
 * created and confirmed afterwards. A claim that was never confirmed (a crash in between) may be taken over after a
 * while, unless an administrator exists after all. A confirmed marker is permanent: the last administrator can't be
 * deleted.
 *
 * Until then every anonymous request checks the marker. Outside a cluster "none yet" is cached, but only for one
 * second, because two servers may share a store without being a cluster. In a cluster it isn't cached.
 */
import {
  CLOCK,
  documentErrors,
  INTERNAL_INDEX,
  isThenable,
  NODE_LINK,
  STORAGE_ENGINE,
  type Clock,
  type MaybePromise,
  type NodeLink,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ADMIN_PROFILE } from './roles/BUILT_IN_ROLES.js';
import { InternalCollection, isError } from './store/InternalCollection.js';
import { UserStore } from './users/UserStore.js';

const ID = 'first-administrator';
/** An older claim belongs to a process that died: creating a user takes a second at most. */
const CLAIM_LIMIT_MS = 30_000;
const ABSENCE_KEPT_MS = 1_000;

/** Knows whether an administrator exists. */
@scoped(Scope.ContainerScoped)
export class FirstAdminMarker {
  private readonly collection: InternalCollection;
  private isConfirmed = false;
  private absentUntilMs = -Infinity;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(UserStore) private readonly users: UserStore,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {
    const mapping = parseMapping({ dynamic: false });
    this.collection = new InternalCollection(engine, index, 'installation', mapping);
  }

  /** Repairs the state that a crash may have left. */
  async start(): Promise<void> {
    await this.collection.ensure();
    if (!(await this.isInStore()) && (await this.isAnyone())) await this.confirm();
  }

  /** Whether it is known, without asking the storage, that there is an administrator. */
  get isKnown(): boolean {
    return this.isConfirmed;
  }

  /** True once a user with profile `admin` exists; never false again. */
  exists(): MaybePromise<boolean> {
    if (this.isConfirmed) return true;
    if (this.clock.monotonicMs() < this.absentUntilMs) return false;
    return this.isInStore();
  }

  /** Like `exists`, but bypasses the cache. */
  isInStore(): MaybePromise<boolean> {
    const read = this.collection.read(ID);
    return isThenable(read) ? read.then((found) => this.judge(found)) : this.judge(read);
  }

  /** @returns true if the caller, and no other, may now create the first administrator */
  async claim(): Promise<boolean> {
    const claim = { isConfirmed: false, atMs: this.clock.nowMs() };
    const found = await this.collection.read(ID);
    if (this.judge(found) || (await this.isAnyone())) return false;
    if (found !== null && !this.isStale(found)) return false;
    try {
      await this.collection.put(ID, claim, found?.version ?? 'absent');
      return true;
    } catch (error) {
      const isLost = [documentErrors.already_exists, documentErrors.version_conflict].some((each) =>
        isError(error, each),
      );
      if (isLost) return false;
      throw error;
    }
  }

  /** Releases the claim: no administrator was created. */
  async release(): Promise<void> {
    await this.collection.delete(ID);
  }

  /** Confirms the claim: the administrator is stored. */
  async confirm(): Promise<void> {
    if (this.isConfirmed) return;
    await this.collection.put(ID, { isConfirmed: true, atMs: this.clock.nowMs() }, 'any');
    this.isConfirmed = true;
  }

  private async isAnyone(): Promise<boolean> {
    // A new installation is recognised by its count, without a search.
    return (await this.users.count()) > 0 && (await this.users.countWithProfile(ADMIN_PROFILE)) > 0;
  }

  private judge(found: StoredDocument | null): boolean {
    if (found?.source['isConfirmed'] === true) this.isConfirmed = true;
    else if (!this.link.isClustered) {
      this.absentUntilMs = this.clock.monotonicMs() + ABSENCE_KEPT_MS;
    }
    return this.isConfirmed;
  }

  private isStale({ source }: StoredDocument): boolean {
    return this.clock.nowMs() - Number(source['atMs']) > CLAIM_LIMIT_MS;
  }
}
