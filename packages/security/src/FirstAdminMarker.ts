/*
 * "There is an administrator", as one fixed document, so that it costs one point read to know and one conditional write
 * to decide who makes the first one. It is claimed before the user is created and confirmed afterwards. A claim that was
 * never confirmed (a crash in between) may be taken over after a while, unless an administrator is found after all.
 * Confirmed, it never goes away: the last administrator can't be deleted.
 *
 * Before there is one, every anonymous request asks. Where no other node writes, "none yet" is remembered until this one
 * confirms the first; only for a second, for two servers on one store that have not been made a cluster.
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
/** A claim older than this belongs to a process that died: creating a user takes a second at most. */
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

  /** Sets right what a crash may have left. */
  async start(): Promise<void> {
    await this.collection.ensure();
    if (!(await this.isInStore()) && (await this.isAnyone())) await this.confirm();
  }

  /** True once a user with profile `admin` exists; from then on for ever. */
  exists(): MaybePromise<boolean> {
    if (this.isConfirmed) return true;
    if (this.clock.monotonicMs() < this.absentUntilMs) return false;
    return this.isInStore();
  }

  /** The same, whatever is remembered. */
  isInStore(): MaybePromise<boolean> {
    const read = this.collection.read(ID);
    return isThenable(read) ? read.then((found) => this.judge(found)) : this.judge(read);
  }

  /** @returns true where the caller alone may now create the first administrator */
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

  /** The claim came to nothing. */
  async release(): Promise<void> {
    await this.collection.delete(ID);
  }

  /** An administrator has been stored. */
  async confirm(): Promise<void> {
    if (this.isConfirmed) return;
    await this.collection.put(ID, { isConfirmed: true, atMs: this.clock.nowMs() }, 'any');
    this.isConfirmed = true;
  }

  private async isAnyone(): Promise<boolean> {
    // An empty installation, at its first start, is told without a search.
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
