import {
  authErrors,
  coreErrors,
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

/** Read in place of the credentials of a user that doesn't exist, so that both take the same way. */
const NOBODY = '';

/** What was asked for at a login. */
export interface LoginRequest {
  readonly strategy: string;
  readonly expiresIn: unknown;
  /** Secret. */
  readonly parameters: JsonObject;
  readonly request: Request;
}

/** Logs users in by the strategies that are installed (SEC-60). */
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

  /** May the parameters of this strategy come as a form? */
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
   * @returns `{_id, jwt}`, or where the client has to go on
   * @throws auth.wrong_credentials (401), auth.too_many_attempts (429), what the strategy throws
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
      const outcome = await this.runner.run(strategy, { parameters, request, headers, users, identities });
      if (outcome instanceof Redirect) return outcome;
      const record = await this.userOf(outcome, gens);
      if (record === null) throw authErrors.wrong_credentials({});
      const { jwt, session } = await this.tokens.issue(record, lifeSeconds);
      this.audit.loggedIn({ session, strategy: name, connection });
      this.addresses.observe(connection.remoteAddress, record.id);
      return { _id: record.id, jwt };
    } catch (error) {
      const isWrong = error instanceof MillraceError && error.id === authErrors.wrong_credentials.id;
      // What else a strategy refuses (a state, an assertion) is as good for guessing, and costs as much.
      const isRefused = error instanceof MillraceError && error.status === 401;
      if (isRefused) {
        attempt.failed();
        // The next one may be tried on another node.
        await this.link.settled();
      }
      fail(isWrong ? 'wrong_credentials' : 'failed');
      throw error;
    } finally {
      attempt.ended();
    }
  } // prettier-ignore

  private async userOf(
    outcome: Exclude<LoginOutcome, Redirect>,
    gens: ReadonlyMap<string, string>,
  ): Promise<UserRecord | null> {
    if (outcome === null) return null;
    const record = await this.users.find(outcome.userId);
    if (record === null) return null;
    // The credentials were changed while they were being checked: whoever knew the old ones is not let in.
    const gen = gens.get(record.id);
    return gen === undefined || gen === record.gen ? record : null;
  }

  /** @param gens receives the `gen` of each user, as it was before the credentials were read */
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
