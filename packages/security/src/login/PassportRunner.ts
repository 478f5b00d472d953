/*
 * Runs one login with a strategy: a plain function or a strategy of the passport library. Passport expects the
 * request and response of an HTTP server and a session; here they are small objects, and there is no session. A
 * strategy ends with success, fail, redirect, pass or error, or by throwing, or never, or twice: the first outcome
 * counts, and a time limit ends the strategies that never finish.
 *
 * Strategies are registered with passport by name, never passed as objects: only then does passport create an
 * instance per login, which keeps concurrent logins from answering each other.
 */
import type { PassportStatic } from 'passport';
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
import { PASSPORT } from '../LIBRARIES.js';

/** Outcome of a login: a user, wrong credentials (null), or an address at which the client continues. */
export type LoginOutcome = { readonly userId: string } | Redirect | null;

/** Runs strategies, each within a time limit. */
export class PassportRunner {
  private readonly passports = new WeakMap<AuthStrategy, Promise<PassportStatic>>();

  constructor(private readonly limitMs: number) {}

  /** @throws registered errors of the strategy; core.plugin_failed (500), core.plugin_timeout (504) */
  async run(strategy: AuthStrategy, attempt: LoginAttempt): Promise<LoginOutcome> {
    const { limitMs } = this;
    const plugin = strategy.name;
    try {
      // The time of the first import isn't the strategy's.
      if (strategy.passport !== undefined) await PASSPORT.load();
      const work = this.start(strategy, attempt);
      return await withDeadline(work, limitMs, () => coreErrors.plugin_timeout({ plugin, limitMs }));
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

  private async authenticate(strategy: AuthStrategy, attempt: LoginAttempt): Promise<LoginOutcome> {
    const passport = await this.passportOf(strategy);
    return new Promise((resolve, reject) => {
      const done = (error: unknown, user?: unknown) => {
        try {
          if (error !== undefined && error !== null) throw toError(error);
          resolve(toUser(user));
        } catch (problem) {
          reject(toError(problem));
        }
      };
      const middleware = passport.authenticate(strategy.name, { session: false }, done) as Middleware;
      // Called when the strategy passes, which passport's documentation defines as not authenticated.
      const next = (error?: unknown) => (error === undefined ? resolve(null) : reject(toError(error)));
      middleware(toPassportRequest(attempt), new RedirectResponse(resolve), next);
    });
  }

  private passportOf(strategy: AuthStrategy): Promise<PassportStatic> {
    const known = this.passports.get(strategy);
    if (known !== undefined) return known;
    const created = PASSPORT.load().then(({ createPassport }) => createPassport(strategy));
    this.passports.set(strategy, created);
    created.catch(() => this.passports.delete(strategy));
    return created;
  }
}

type Middleware = (request: PassportRequest, response: RedirectResponse, next: (error?: unknown) => void) => void;

/** Receives passport's output when a strategy redirects. */
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

/** The request properties that passport reads. Passport also writes to the object, so each login has a new one. */
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

/** @throws if a strategy reports neither success nor failure */
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
