/*
 * Logins that continue at a provider (SEC-64; RFC 6749, section 10.12). Each has a `state`, sent through the
 * provider, and a random secret that stays with the client that started it: in a cookie over HTTP, on this node for a
 * persistent connection, and in `result.stateSecret` for clients that continue over another connection. The state is
 * a ticket that contains verifier, nonce and a digest of the secret in encrypted form, so that pending logins take no
 * memory and a flood of them can't evict others (docs/decisions/0018). A state without its secret is refused without
 * being redeemed: knowing a state must not be enough to disrupt a login. With its secret it is redeemed before
 * anything else, so it works once.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  readCookie,
  type Connection,
  type Cookie,
  type JsonObject,
  type JsonValue,
  type LoginAttempt,
  type Request,
  type Tickets,
} from '@millrace/kernel';
import { oauth2Errors } from './errors.js';

/** The data needed when the client returns. */
export interface PendingLogin {
  /** PKCE (RFC 7636). */
  readonly verifier: string;
  /** Must be contained in the id_token. */
  readonly nonce: string;
  /** See `LoginAttempt.returning`. */
  readonly returning?: JsonValue | undefined;
}

/** A login after step one. */
export interface BegunLogin {
  readonly state: string;
  readonly secret: string;
}

/** A login started on a persistent connection. */
interface ConnectionLogin extends BegunLogin {
  readonly strategy: string;
}

const SECRET_BYTES = 32;
const STATE = /^[\w-]{43,1024}$/;
/** Pending logins of one persistent connection; beyond this the oldest needs its `stateSecret`. */
const MAX_LOGINS_PER_CONNECTION = 8;

/** Issues and checks the states of logins. One per server. */
export class LoginStates {
  /** Newest last. Discarded with the connection. */
  private readonly begunOn = new WeakMap<Connection, readonly ConnectionLogin[]>();

  constructor(
    private readonly tickets: Tickets,
    private readonly lifeMs: number,
  ) {}

  /** Starts a login (step one). */
  begin(strategy: string, request: Request, { verifier, nonce, returning = null }: PendingLogin): BegunLogin {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const login = { strategy, verifier, nonce, returning, digest: digestOf(secret) };
    const state = this.tickets.issue(login, this.lifeMs);
    if (isLasting(request)) {
      const others = this.loginsOf(request).slice(1 - MAX_LOGINS_PER_CONNECTION);
      this.begunOn.set(request.connection, [...others, { strategy, state, secret }]);
    }
    return { state, secret };
  }

  /** The cookie that binds a login to a browser. */
  cookie({ state, secret }: BegunLogin, callbackURL: string): Cookie {
    const isSecure = isHttps(callbackURL);
    const maxAgeSeconds = Math.ceil(this.lifeMs / 1_000);
    return { name: cookieName(state, isSecure), value: secret, maxAgeSeconds, isSecure };
  }

  /**
   * Redeems the state (step two).
   * @param callbackURL the same as in step one
   * @throws auth.login_state_refused (401) for a state that is unknown, used, expired or issued to another client
   */
  async take(strategy: string, attempt: LoginAttempt, callbackURL: string): Promise<PendingLogin> {
    const { tickets } = this;
    const state = this.stateOf(strategy, attempt);
    const login = state === null ? null : await tickets.read(state);
    if (state === null || login === null || login['strategy'] !== strategy) throw refused(strategy);
    const isOwn = this.secretsOf(state, attempt.request, callbackURL).some((secret) => isDigest(login, secret));
    // Of several requests with the same state, only one continues.
    if (!isOwn || (await tickets.redeem(state)) === null) throw refused(strategy);
    const { verifier, nonce, returning } = login;
    if (typeof verifier !== 'string' || typeof nonce !== 'string') throw refused(strategy);
    return { verifier, nonce, ...(returning !== null && { returning }) };
  }

  /** The state sent, or on a persistent connection without one that of its latest step one. */
  private stateOf(strategy: string, { parameters, request }: LoginAttempt): string | null {
    const sent = ownText(parameters, 'state');
    if (sent !== null) return STATE.test(sent) ? sent : null;
    return this.loginsOf(request).findLast((login) => login.strategy === strategy)?.state ?? null;
  }

  /** All secrets for this state that the client presents. */
  private secretsOf(state: string, request: Request, callbackURL: string): readonly string[] {
    const secrets = [
      // Only from the body: URLs are logged, stored in histories, and can be embedded in links.
      ownText(request.body ?? {}, 'stateSecret'),
      readCookie(request, cookieName(state, isHttps(callbackURL))),
      this.loginsOf(request).find((login) => login.state === state)?.secret,
    ];
    return secrets.filter((secret) => typeof secret === 'string');
  }

  private loginsOf({ connection }: Request): readonly ConnectionLogin[] {
    return this.begunOn.get(connection) ?? [];
  }
}

/** True for persistent connections: HTTP uses one per request, a program none. */
function isLasting({ connection: { protocol } }: Request): boolean {
  return protocol !== 'http' && protocol !== 'program';
}

function isHttps(address: string): boolean {
  return address.toLowerCase().startsWith('https:');
}

function ownText(fields: JsonObject, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function isDigest(login: JsonObject, secret: string): boolean {
  const expected = Buffer.from(ownText(login, 'digest') ?? '');
  const given = Buffer.from(digestOf(secret));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/**
 * One name per login, so that two logins in one browser don't collide; `__Host-` prevents subdomains from setting it.
 */
function cookieName(state: string, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}millrace-login-${digestOf(state).slice(0, 22)}`;
}

function refused(strategy: string) {
  return oauth2Errors.login_state_refused({ strategy });
}
