/*
 * Runs one login with a strategy, be it a function of its own or a strategy of the passport library. Passport wants the
 * request and response of an HTTP server and a session; here they are small objects, and there is no session. A strategy
 * ends by one of success, fail, redirect, pass and error, or by a throw, or never, or twice: the first end counts, the
 * limit of time makes an end of the others.
 *
 * Strategies are registered with passport by name and never given to it as objects: only then it makes an instance per
 * login, so that logins at the same time can't answer each other.
 */
import { Passport, type PassportStatic, type Strategy } from 'passport';
import {
  coreErrors,
  isJsonObject,
  MillraceError,
  Redirect,
  withDeadline,
  type AuthStrategy,
  type LoginAttempt,
  type PassportRequest,
} from '@millrace/kernel';

/** How a login ended: with a user, with wrong credentials (null), or with an address where the client goes on. */
export type LoginOutcome = { readonly userId: string } | Redirect | null;

/** Runs strategies, each within a limit of time. */
export class PassportRunner {
  private readonly passports = new WeakMap<AuthStrategy, PassportStatic>();

  constructor(private readonly limitMs: number) {}

  /** @throws registered errors of the strategy; core.plugin_failed (500), core.plugin_timeout (504) */
  async run(strategy: AuthStrategy, attempt: LoginAttempt): Promise<LoginOutcome> {
    const { limitMs } = this;
    const plugin = strategy.name;
    try {
      const work = this.start(strategy, attempt);
      return await withDeadline(work, limitMs, () =>
        coreErrors.plugin_timeout({ plugin, limitMs }),
      );
    } catch (error) {
      if (error instanceof MillraceError) throw error;
      throw coreErrors.plugin_failed({ plugin }, { cause: error });
    }
  }

  private async start(strategy: AuthStrategy, attempt: LoginAttempt): Promise<LoginOutcome> {
    if (strategy.verify !== undefined) {
      const outcome = await strategy.verify(attempt.parameters, attempt);
      return outcome instanceof Redirect ? outcome : toUser(outcome);
    }
    if (strategy.passport === undefined) {
      throw new Error(`strategy "${strategy.name}" has neither verify nor passport`);
    }
    return this.authenticate(strategy, attempt);
  }

  private authenticate(strategy: AuthStrategy, attempt: LoginAttempt): Promise<LoginOutcome> {
    const passport = this.passportOf(strategy);
    return new Promise((resolve, reject) => {
      const done = (error: unknown, user?: unknown) => {
        try {
          if (error !== undefined && error !== null) throw toError(error);
          resolve(toUser(user));
        } catch (problem) {
          reject(toError(problem));
        }
      };
      const middleware = passport.authenticate(
        strategy.name,
        { session: false },
        done,
      ) as Middleware;
      // Reached when the strategy passes: nobody was authenticated, as passport's own documentation has it.
      const next = (error?: unknown) =>
        error === undefined ? resolve(null) : reject(toError(error));
      middleware(toPassportRequest(attempt), new RedirectResponse(resolve), next);
    });
  }

  private passportOf(strategy: AuthStrategy): PassportStatic {
    const known = this.passports.get(strategy);
    if (known !== undefined) return known;
    const passport = new Passport() as PassportStatic;
    passport.use(strategy.name, strategy.passport as unknown as Strategy);
    this.passports.set(strategy, passport);
    return passport;
  }
}

type Middleware = (
  request: PassportRequest,
  response: RedirectResponse,
  next: (error?: unknown) => void,
) => void;

/** What passport writes to when a strategy redirects. */
class RedirectResponse {
  statusCode = 200;
  private location: string | undefined;

  constructor(private readonly redirected: (redirect: Redirect) => void) {}

  setHeader(name: string, value: unknown): void {
    if (name.toLowerCase() === 'location' && typeof value === 'string') this.location = value;
  }

  end(): void {
    if (this.location !== undefined) this.redirected(new Redirect(this.location));
  }
}

/** Everything that passport reads of a request; it writes to it too, so each login has its own. */
function toPassportRequest(attempt: LoginAttempt): PassportRequest {
  const { request, parameters } = attempt;
  const isQuery = request.body === null;
  return {
    method: isQuery ? 'GET' : 'POST',
    url: '/_login',
    headers: attempt.headers,
    query: isQuery ? parameters : {},
    body: isQuery ? {} : parameters,
    attempt,
  };
}

/** @throws where a strategy says neither yes nor no */
function toUser(user: unknown): { readonly userId: string } | null {
  if (user === null || user === undefined || user === false) return null;
  if (typeof user === 'string' && user !== '') return { userId: user };
  const userId = isJsonObject(user) ? user['userId'] : undefined;
  if (typeof userId === 'string' && userId !== '') return { userId };
  throw new Error('the strategy named no user: expected { userId } or an identifier');
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
