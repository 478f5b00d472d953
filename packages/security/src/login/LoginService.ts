import {
  authErrors,
  coreErrors,
  isError,
  MillraceError,
  Redirect,
  STRATEGIES,
  type ActionResult,
  type AuthStrategy,
  NODE_LINK,
  type JsonObject,
  type NodeLink,
  type Request,
  type StrategyUsers,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { Tokens } from '../tokens/Tokens.js';
import { CredentialStore } from '../users/CredentialStore.js';
import { UserAccounts } from '../users/UserAccounts.js';
import { UserIdentities } from '../users/UserIdentities.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { ClientAddresses } from './ClientAddresses.js';
import { headersOf } from './headersOf.js';
import { PassportRunner, type LoginOutcome } from './PassportRunner.js';

/** Id read in place of a missing user's credentials, so that both cases take the same path. */
const NOBODY = '';

/** Arguments of a login. */
export interface LoginRequest {
  readonly strategy: string;
  readonly expiresIn: unknown;
  /** Secret. */
  readonly parameters: JsonObject;
  readonly request: Request;
}

/** Logs users in with the installed strategies (SEC-60). */
@scoped(Scope.ContainerScoped)
export class LoginService {
  private readonly runner: PassportRunner;

  constructor(
    @inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>,
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(UserAccounts) private readonly accounts: UserAccounts,
    @inject(UserIdentities) private readonly identities: UserIdentities,
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(Audit) private readonly audit: Audit,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(ClientAddresses) private readonly addresses: ClientAddresses,
    @inject(SECURITY_CONFIG) config: SecurityConfig,
  ) {
    this.runner = new PassportRunner(config.login.strategyTimeoutMs);
  }

  /** Names of the strategies, sorted. */
  listStrategies(): readonly string[] {
    return [...this.strategies.keys()].sort();
  }

  /** Whether the parameters of this strategy may be sent as a form. */
  takesForm(name: unknown): boolean {
    return typeof name === 'string' && this.strategies.get(name)?.takesForms === true;
  }

  /** @throws auth.unknown_strategy (400) */
  strategy(name: string): AuthStrategy {
    const found = this.strategies.get(name);
    if (found !== undefined) return found;
    const names = this.listStrategies().map((each) => JSON.stringify(each));
    const known = names.length === 0 ? 'one, but none is installed' : names.join(' or ');
    throw authErrors.unknown_strategy({ strategy: name.slice(0, 100), known });
  }

  /**
   * @returns `{_id, jwt}`, or the address to continue at
   * @throws auth.wrong_credentials (401), auth.too_many_attempts (429), errors of the strategy
   */
  async login({ strategy: name, expiresIn, parameters, request }: LoginRequest): Promise<ActionResult> {
    const strategy = this.strategy(name);
    const lifeSeconds = this.tokens.lifeSeconds(expiresIn);
    const account = accountOf(strategy, parameters);
    const { connection } = request;
    const fail = (reason: 'wrong_credentials' | 'too_many_attempts' | 'failed') =>
      this.audit.loginFailed({ strategy: name, account, reason, connection });
    const attempt = await this.limits.beginLogin(connection.remoteAddress, account).catch((error: unknown) => {
      fail('too_many_attempts');
      throw error;
    });
    try {
      const gens = new Map<string, string>();
      const users = this.usersOf(strategy, gens);
      const identities = this.identities.of(name);
      const headers = headersOf(strategy, request);
      const outcome = await this.runner.run(strategy, {
        parameters,
        request,
        headers,
        users,
        identities,
      });
      if (outcome instanceof Redirect) return outcome;
      const record = await this.userOf(outcome, gens);
      if (record === null) throw authErrors.wrong_credentials({});
      const { jwt, session } = await this.tokens.issue(record, lifeSeconds);
      this.audit.loggedIn({ session, strategy: name, connection });
      this.addresses.observe(connection.remoteAddress, record.id);
      return { _id: record.id, jwt };
    } catch (error) {
      const isWrong = isError(error, authErrors.wrong_credentials);
      // Other refusals of a strategy (a state, an assertion) can be used for guessing too, and take as much work.
      const isRefused = error instanceof MillraceError && error.status === 401;
      if (isRefused) {
        attempt.failed();
        // The next attempt may reach another node.
        await this.link.settled();
      }
      fail(isWrong ? 'wrong_credentials' : 'failed');
      throw error;
    } finally {
      attempt.ended();
    }
  }

  private async userOf(
    outcome: Exclude<LoginOutcome, Redirect>,
    gens: ReadonlyMap<string, string>,
  ): Promise<UserRecord | null> {
    if (outcome === null) return null;
    const record = await this.users.find(outcome.userId);
    if (record === null) return null;
    // The credentials changed during the check: the old ones don't log in any more.
    const gen = gens.get(record.id);
    return gen === undefined || gen === record.gen ? record : null;
  }

  /** @param gens receives the `gen` of each user, read before its credentials */
  private usersOf({ name }: AuthStrategy, gens: Map<string, string>): StrategyUsers {
    const read = async (userId: string): Promise<JsonObject | null> => {
      const record = await this.users.find(userId);
      if (record !== null && !gens.has(userId)) gens.set(userId, record.gen);
      const found = await this.credentials.read(name, record?.suid ?? NOBODY);
      return record !== null && found?.userId === userId ? found.stored : null;
    };
    return {
      credentialsOf: read,
      upgradeCredentials: async (userId, stored) => {
        const gen = gens.get(userId);
        if (gen !== undefined) await this.accounts.upgradeCredentials(userId, name, stored, gen);
      },
    };
  }
}

function accountOf(strategy: AuthStrategy, parameters: JsonObject): string | null {
  try {
    return strategy.accountOf?.(parameters) ?? null;
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw coreErrors.plugin_failed({ plugin: strategy.name }, { cause: error });
  }
}
