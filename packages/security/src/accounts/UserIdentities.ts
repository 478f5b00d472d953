/*
 * Users by the identifiers that identity providers use. An identity is claimed by a document in the collection of
 * credentials that contains the user's `_id` and `suid`; it is written first, on condition that none exists. A login
 * that finds a claim without its user creates exactly that user. So of several concurrent first logins, on any nodes,
 * one creates the user and the others find it, and a crash between the two writes only leaves a claim that the next
 * login completes. A claim is valid while the user with that `_id` has that `suid`, and is deleted with the user.
 */
import {
  ID_GENERATOR,
  isError,
  securityErrors,
  type IdGenerator,
  type NewIdentityUser,
  type StrategyIdentities,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { CredentialStore, type StoredClaim } from '../users/CredentialStore.js';
import { UserAccounts } from './UserAccounts.js';
import { UserStore } from '../users/UserStore.js';

const MAX_IDENTITY_LENGTH = 2_048;
const MAX_TRIES = 5;

/** Finds and creates the users behind identities. */
@scoped(Scope.ContainerScoped)
export class UserIdentities {
  constructor(
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(UserStore) private readonly users: UserStore,
    @inject(UserAccounts) private readonly accounts: UserAccounts,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  /** The identities visible to one strategy. */
  of(strategy: string): StrategyIdentities {
    return {
      find: (identity) => this.find(strategy, identity),
      findOrCreate: (identity, user) => this.findOrCreate(strategy, identity, user),
    };
  }

  private async find(strategy: string, identity: string): Promise<string | null> {
    assertIdentity(identity);
    const claim = await this.credentials.readClaim(strategy, identity);
    return claim !== null && (await this.isFulfilled(claim)) ? claim.owner.id : null;
  }

  private async findOrCreate(strategy: string, identity: string, user: NewIdentityUser): Promise<string> {
    assertIdentity(identity);
    for (let tries = 1; ; tries++) {
      const claim = await this.claim(strategy, identity);
      if (await this.isFulfilled(claim)) return claim.owner.id;
      try {
        return (await this.accounts.createForIdentity(claim.owner, user)).id;
      } catch (error) {
        if (!isError(error, securityErrors.user_exists) || tries === MAX_TRIES) throw error;
        this.users.drop(claim.owner.id);
      }
      // Either another login has created the user, or another user now has this `_id` and the claim is invalid.
      if (await this.isFulfilled(claim)) return claim.owner.id;
      await this.replace(strategy, identity, claim.version);
    }
  }

  /** The existing claim, or a new one. */
  private async claim(strategy: string, identity: string): Promise<StoredClaim> {
    const known = await this.credentials.readClaim(strategy, identity);
    if (known !== null) return known;
    await this.replace(strategy, identity, 'absent');
    const claim = await this.credentials.readClaim(strategy, identity);
    if (claim === null) throw new Error('a claim is gone as soon as it was written');
    return claim;
  }

  /** If another claim was written first, it stays. */
  private async replace(strategy: string, identity: string, condition: 'absent' | number): Promise<void> {
    const owner = { id: this.ids.next(), suid: this.ids.next() };
    await this.credentials.tryPutClaim(strategy, identity, owner, condition);
  }

  private async isFulfilled({ owner }: StoredClaim): Promise<boolean> {
    return (await this.users.find(owner.id))?.suid === owner.suid;
  }
}

function assertIdentity(identity: string): void {
  const isPossible = identity !== '' && identity.length <= MAX_IDENTITY_LENGTH;
  if (!isPossible) {
    throw new Error(`an identity must have 1 to ${MAX_IDENTITY_LENGTH} characters`);
  }
}
