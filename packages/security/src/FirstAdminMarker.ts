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
  andThen,
  CLOCK,
  NODE_LINK,
  RECORD_PLACE,
  RecordStore,
  type Clock,
  type MaybePromise,
  type NodeLink,
  type RecordKind,
  type RecordPlace,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ADMIN_PROFILE } from './rights/BUILT_IN_ROLES.js';
import { UserStore } from './users/UserStore.js';

const ID = 'first-administrator';
/** An older claim belongs to a process that died: creating a user takes a second at most. */
const CLAIM_LIMIT_MS = 30_000;
const ABSENCE_KEPT_MS = 1_000;

interface Claim {
  readonly isConfirmed: boolean;
  /** UTC milliseconds. */
  readonly atMs: number;
}

interface StoredClaim extends Claim {
  readonly version: number;
}

const KIND: RecordKind<StoredClaim, Claim> = {
  collection: 'installation',
  mapping: parseMapping({ dynamic: false }),
  parse: ({ version, source: { isConfirmed, atMs } }) => ({
    version,
    isConfirmed: isConfirmed === true,
    atMs: Number(atMs),
  }),
  toSource: ({ isConfirmed, atMs }) => ({ isConfirmed, atMs }),
};

/** Knows whether an administrator exists. */
@scoped(Scope.ContainerScoped)
export class FirstAdminMarker {
  private readonly records: RecordStore<StoredClaim, Claim>;
  private isConfirmed = false;
  private absentUntilMs = -Infinity;

  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(UserStore) private readonly users: UserStore,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {
    this.records = new RecordStore(place, KIND);
  }

  /** Repairs the state that a crash may have left. */
  async start(): Promise<void> {
    await this.records.ensure();
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
    return andThen(this.records.find(ID), (found) => this.decide(found));
  }

  /** @returns true if the caller, and no other, may now create the first administrator */
  async claim(): Promise<boolean> {
    const claim = { isConfirmed: false, atMs: this.clock.nowMs() };
    const found = await this.records.find(ID);
    if (this.decide(found) || (await this.isAnyone())) return false;
    if (found !== null && !this.isStale(found)) return false;
    return (await this.records.tryPut(ID, claim, found?.version ?? 'absent')) !== null;
  }

  /** Releases the claim: no administrator was created. */
  async release(): Promise<void> {
    await this.records.delete(ID);
  }

  /** Confirms the claim: the administrator is stored. */
  async confirm(): Promise<void> {
    if (this.isConfirmed) return;
    await this.records.put(ID, { isConfirmed: true, atMs: this.clock.nowMs() }, 'any');
    this.isConfirmed = true;
  }

  private async isAnyone(): Promise<boolean> {
    // A new installation is recognised by its count, without a search.
    return (await this.users.countAll()) > 0 && (await this.users.countWithProfile(ADMIN_PROFILE)) > 0;
  }

  private decide(found: StoredClaim | null): boolean {
    if (found?.isConfirmed === true) this.isConfirmed = true;
    else if (!this.link.isClustered) {
      this.absentUntilMs = this.clock.monotonicMs() + ABSENCE_KEPT_MS;
    }
    return this.isConfirmed;
  }

  private isStale({ atMs }: StoredClaim): boolean {
    return this.clock.nowMs() - atMs > CLAIM_LIMIT_MS;
  }
}
