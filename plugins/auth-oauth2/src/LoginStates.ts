/*
 * Logins that are under way at a provider (decisions.md section 10; RFC 6749 section 10.12). Each has a random `state`,
 * which travels through the provider, and a random secret, which stays with whoever began: in a cookie over HTTP, on
 * this node beside a lasting connection, and in `result.stateSecret` for those who go on over another connection. Only
 * a digest of the secret is kept with the state. A state without its secret is foreign, is refused, and stays: knowing
 * a state must not be enough to spoil a login. With its secret it is taken out before anything else happens, so it
 * works once.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  readCookie,
  type Cookie,
  type ExpiringStore,
  type JsonObject,
  type LoginAttempt,
  type Request,
} from '@millrace/kernel';
import { oauth2Errors } from './errors.js';

/** What is needed again when the client comes back. */
export interface PendingLogin {
  /** PKCE (RFC 7636). */
  readonly verifier: string;
  /** Must stand in the id_token. */
  readonly nonce: string;
}

/** A login that has begun. */
export interface BegunLogin {
  readonly state: string;
  readonly secret: string;
}

/** What the states are kept in. */
export interface LoginStatesParts {
  /** Within reach of every node. */
  readonly store: ExpiringStore;
  /** Of this process: connections don't leave it. */
  readonly connections: ExpiringStore;
  readonly lifeMs: number;
}

const SECRET_BYTES = 32;
const STATE = /^[\w-]{43,128}$/;

/** Keeps the states of logins. One per server. */
export class LoginStates {
  constructor(private readonly parts: LoginStatesParts) {}

  /** Step one. */
  async begin(strategy: string, request: Request, login: PendingLogin): Promise<BegunLogin> {
    const { store, connections, lifeMs } = this.parts;
    const state = store.newKey();
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const { verifier, nonce } = login;
    await store.add(state, { strategy, verifier, nonce, digest: digestOf(secret) }, lifeMs);
    if (isLasting(request)) {
      const latest = latestKey(strategy, request);
      await connections.take(latest);
      await connections.add(latest, { state }, lifeMs);
      await connections.add(secretKey(state, request), { secret }, lifeMs);
    }
    return { state, secret };
  }

  /** The cookie that binds a login to a browser. */
  cookie({ state, secret }: BegunLogin, callbackURL: string): Cookie {
    const isSecure = isHttps(callbackURL);
    const maxAgeSeconds = Math.ceil(this.parts.lifeMs / 1_000);
    return { name: cookieName(state, isSecure), value: secret, maxAgeSeconds, isSecure };
  }

  /**
   * Step two: takes the login out.
   * @param callbackURL as at step one
   * @throws auth.login_state_refused (401) for a state that is unknown, used, over or foreign
   */
  async take(strategy: string, attempt: LoginAttempt, callbackURL: string): Promise<PendingLogin> {
    const { store } = this.parts;
    const state = await this.stateOf(strategy, attempt);
    const kept = state === null ? null : await store.read(state);
    if (state === null || kept === null || kept['strategy'] !== strategy) throw refused(strategy);
    const isOwn = (await this.secretsOf(state, attempt.request, callbackURL)).some((secret) =>
      isDigest(kept, secret),
    );
    // Taken by whoever is first: a second answer with the same state finds nothing.
    if (!isOwn || (await store.take(state)) === null) throw refused(strategy);
    const { verifier, nonce } = kept;
    if (typeof verifier !== 'string' || typeof nonce !== 'string') throw refused(strategy);
    return { verifier, nonce };
  }

  /** The state sent; on a lasting connection without one, that of its latest step one. */
  private async stateOf(
    strategy: string,
    { parameters, request }: LoginAttempt,
  ): Promise<string | null> {
    const sent = ownText(parameters, 'state');
    if (sent !== null) return STATE.test(sent) ? sent : null;
    if (!isLasting(request)) return null;
    const latest = await this.parts.connections.read(latestKey(strategy, request));
    return ownText(latest ?? {}, 'state');
  }

  /** Every secret for this state that the client can show. */
  private async secretsOf(
    state: string,
    request: Request,
    callbackURL: string,
  ): Promise<readonly string[]> {
    // Out of the body alone: addresses are logged, kept in histories, and can be put into links.
    const secrets = [ownText(request.body ?? {}, 'stateSecret')];
    secrets.push(readCookie(request, cookieName(state, isHttps(callbackURL))));
    if (isLasting(request)) {
      const own = await this.parts.connections.read(secretKey(state, request));
      secrets.push(ownText(own ?? {}, 'secret'));
    }
    return secrets.filter((secret) => secret !== null);
  }
}

/** True on a connection that the client holds: HTTP has one for each request, a program none. */
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

function isDigest(kept: JsonObject, secret: string): boolean {
  const expected = Buffer.from(ownText(kept, 'digest') ?? '');
  const given = Buffer.from(digestOf(secret));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function latestKey(strategy: string, { connection }: Request): string {
  return `${connection.protocol} ${connection.id} ${strategy}`;
}

function secretKey(state: string, { connection }: Request): string {
  return `${connection.protocol} ${connection.id} state ${state}`;
}

/** One for each login, so that two in one browser don't meet; `__Host-` keeps subdomains from setting it. */
function cookieName(state: string, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}millrace-login-${digestOf(state).slice(0, 22)}`;
}

function refused(strategy: string) {
  return oauth2Errors.login_state_refused({ strategy });
}
