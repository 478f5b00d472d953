import { Redirect, type AuthStrategy, type LoginAttempt, type Request, type StrategyUsers } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { CredentialStore } from '../users/CredentialStore.js';
import { UserIdentities } from '../accounts/UserIdentities.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { UserWriter } from '../accounts/UserWriter.js';
import { PassportRunner } from './PassportRunner.js';

/** Id read in place of a missing user's credentials, so that both cases take the same path. */
const NOBODY = '';

/** Finds the user who logs in, by a strategy that reads the users' credentials or identities. */
@scoped(Scope.ContainerScoped)
export class UserVerification {
  private readonly runner: PassportRunner;

  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(UserWriter) private readonly writer: UserWriter,
    @inject(UserIdentities) private readonly identities: UserIdentities,
    @inject(SECURITY_CONFIG) config: SecurityConfig,
  ) {
    this.runner = new PassportRunner(config.login.strategyTimeoutMs);
  }

  /** @returns null for wrong credentials @throws errors of the strategy */
  async run(
    strategy: AuthStrategy,
    attempt: Omit<LoginAttempt, 'headers' | 'users' | 'identities'>,
  ): Promise<UserRecord | Redirect | null> {
    const gens = new Map<string, string>();
    const outcome = await this.runner.run(strategy, {
      ...attempt,
      headers: headersOf(strategy, attempt.request),
      users: this.usersOf(strategy, gens),
      identities: this.identities.of(strategy.name),
    });
    if (outcome === null || outcome instanceof Redirect) return outcome;
    const record = await this.users.find(outcome.userId);
    if (record === null) return null;
    // The credentials changed during the check: the old ones don't log in any more.
    const gen = gens.get(record.id);
    return gen === undefined || gen === record.gen ? record : null;
  }

  /** @param gens receives the `gen` of each user, read before its credentials */
  private usersOf({ name }: AuthStrategy, gens: Map<string, string>): StrategyUsers {
    return {
      credentialsOf: async (userId) => {
        const record = await this.users.find(userId);
        if (record !== null && !gens.has(userId)) gens.set(userId, record.gen);
        const found = await this.credentials.read(name, record?.suid ?? NOBODY);
        return record !== null && found?.userId === userId ? found.stored : null;
      },
      upgradeCredentials: async (userId, stored) => {
        const gen = gens.get(userId);
        if (gen !== undefined) await this.writer.upgradeCredentials(userId, name, stored, gen);
      },
    };
  }
}

/**
 * The headers visible to a strategy. Over HTTP: the headers that the strategy declares, and `authorization` and
 * `cookie`, which are in the request's field `headers`. A message of another protocol may carry any header in that
 * field.
 */
function headersOf(
  { headers: declared = [] }: AuthStrategy,
  { connection, headers }: Request,
): Readonly<Record<string, string>> {
  const ofMessage = Object.entries(headers ?? {});
  const ofExchange = declared.map((name) => [name, connection.header?.(name)] as const);
  const texts = [...ofMessage, ...ofExchange].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(texts);
}
