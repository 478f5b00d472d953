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
  type JsonValue,
  type NodeLink,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { Tokens } from '../tokens/Tokens.js';
import { ClientAddresses } from './ClientAddresses.js';
import { LoginReturns, toLoginReturn, type LoginReturn } from './LoginReturns.js';
import { UserVerification } from './UserVerification.js';

/** How a login by a strategy begins. */
export type StrategyKind = 'redirect' | 'credentials';

/** Arguments of a login. */
export interface LoginRequest {
  readonly strategy: string;
  readonly expiresIn: unknown;
  /** Secret. */
  readonly parameters: JsonObject;
  /** The page at which it ends, for strategies that redirect. */
  readonly returnTo?: string | undefined;
  readonly returnChallenge?: string | undefined;
  readonly request: Request;
}

/** Logs users in with the installed strategies (SEC-60). */
@scoped(Scope.ContainerScoped)
export class LoginService {
  constructor(
    @inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>,
    @inject(UserVerification) private readonly verification: UserVerification,
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(Audit) private readonly audit: Audit,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(ClientAddresses) private readonly addresses: ClientAddresses,
    @inject(LoginReturns) private readonly returns: LoginReturns,
  ) {}

  /** Names of the strategies, sorted. @param kind those that begin with a redirect, or the others; absent: all */
  listStrategies(kind?: StrategyKind): readonly string[] {
    const kindOf = ({ redirects }: AuthStrategy) => (redirects === true ? 'redirect' : 'credentials');
    const listed = [...this.strategies.values()].filter((each) => kind === undefined || kindOf(each) === kind);
    return listed.map(({ name }) => name).sort();
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
  async login({ strategy: name, expiresIn, parameters, request, ...more }: LoginRequest): Promise<ActionResult> {
    const strategy = this.strategy(name);
    const redirects = strategy.redirects === true;
    const returning = redirects ? this.returns.read(more.returnTo, more.returnChallenge) : undefined;
    const lifeSeconds = this.tokens.lifeSeconds(expiresIn);
    const account = accountOf(strategy, parameters);
    const { connection } = request;
    const fail = (reason: 'wrong_credentials' | 'too_many_attempts' | 'failed') =>
      this.audit.loginFailed({ strategy: name, account, reason, connection });
    const attempt = await this.limits.beginLogin(connection.remoteAddress, account).catch((error: unknown) => {
      fail('too_many_attempts');
      throw error;
    });
    let returned: LoginReturn | undefined;
    try {
      const resume = (kept: JsonValue | undefined) => void (returned = toLoginReturn(kept));
      const found =
        redirects && Object.hasOwn(parameters, 'returnTicket')
          ? await this.returns.redeem(name, parameters)
          : await this.verification.run(strategy, { parameters, request, returning, resume });
      if (found instanceof Redirect) return found;
      if (found === null) throw authErrors.wrong_credentials({});
      if (returned !== undefined) return this.returns.toPage(returned, name, found);
      const { jwt, session } = await this.tokens.issue(found, lifeSeconds);
      this.audit.loggedIn({ session, strategy: name, connection });
      this.addresses.observe(connection.remoteAddress, found.id);
      return { _id: found.id, jwt };
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
      if (returned === undefined || !(error instanceof MillraceError)) throw error;
      return this.returns.toPageFailed(returned, error.id);
    } finally {
      attempt.ended();
    }
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
