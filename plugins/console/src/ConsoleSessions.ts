/*
 * Sessions of the console that survive a reload. The page keeps its token in memory; the browser keeps a cookie that can
 * do one thing: to get the token back from `POST /_console/session`. `SameSite=Strict`, the path and `HttpOnly` keep it
 * from other requests, sites and scripts, and pages of other origins of the same site (another port) are refused by
 * their `Origin`.
 *
 * The cookie is `<id>.<secret>`: the id stays, the secret is replaced at each use. A replaced one that is used again was
 * copied, or is, so the session ends. Only tabs that start at the same moment may send the same one twice: within
 * `RACE_MS` the second gets nothing, and tries again with the cookie of the first.
 *
 * A session is a record with digests of id and secret, and the token, encrypted with a key that follows from the id: the
 * store alone gives no access. Everything that ends a token ends the session: a logout, also everywhere, another password,
 * the deletion of the user.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  apiErrors,
  defineAction,
  documentErrors,
  isError,
  openSecret,
  readCookie,
  route,
  sealSecret,
  securityErrors,
  type ActionDefinition,
  type Cookie,
  type PluginDocument,
  type PluginHost,
  type PluginSearch,
  type PluginStore,
  type Request,
} from '@millrace/kernel';

const COOKIE = 'millrace-console';
const PATH = '/_console/session';
const FORM = /^([\w-]{43})\.([\w-]{43})$/;
const SECRET_BYTES = 32;

/** Longest time without use: the life of its token. */
const IDLE_SECONDS = 8 * 3_600;
const MAX_AGE_MS = 7 * 86_400_000;
/** A token of this part of its life is replaced: tabs share one, so rarely. */
const RENEWED_PART = 1 / 8;
const RACE_MS = 10_000;
/** Sessions of one user: a further login ends the oldest, so that no user fills the store. */
const MAX_PER_USER = 20;
/** Records that a login deletes at most. */
const SWEPT = 100;

/** Bound to the encrypted tokens. */
const SEALED = 'console session';

/** The answer: the token of the session; null: there is none, or another request has the new cookie (`retry`). */
export type ConsoleSession = { readonly jwt: string | null; readonly retry?: true };

/** The content of a record. */
type Kept = {
  readonly userId: string;
  /** Digest of the present secret, and of the one before. */
  readonly secret: string;
  readonly replaced: string;
  readonly replacedAtMs: number;
  readonly beganAtMs: number;
  /** The token, encrypted. */
  readonly token: string;
  readonly lifeMs: number;
};

interface NewToken {
  readonly jwt: string;
  readonly expiresAt: number;
}

const NONE: ConsoleSession = { jwt: null };
const RETRY: ConsoleSession = { jwt: null, retry: true };

/** Begins, continues and ends sessions. One per server. */
export class ConsoleSessions {
  constructor(
    private readonly host: Pick<PluginHost, 'execute' | 'log'>,
    private readonly store: PluginStore,
  ) {}

  /** The action behind the path of the cookie. */
  get action(): ActionDefinition {
    return defineAction({
      controller: 'console',
      action: 'openSession',
      summary: 'Gives the console its token back after a reload, by its cookie; with a token: begins such a session.',
      routes: [route(`POST ${PATH}`)],
      args: {},
      access: 'public',
      writes: true,
      keepsAnswers: false,
      result: {
        type: 'object',
        properties: { jwt: { type: ['string', 'null'] }, retry: { const: true } },
        required: ['jwt'],
      },
      run: ({ request }) => this.open(request),
    });
  }

  /**
   * With a token: begins a session, in place of that of the cookie. Without: continues that of the cookie.
   * @throws security.origin_refused (403), api.unsupported_media_type (415)
   */
  private async open(request: Request): Promise<ConsoleSession> {
    const isSecure = assertOwnPage(request);
    const cookie = (value: string, maxAgeSeconds: number): Cookie => {
      const name = `${isSecure ? '__Secure-' : ''}${COOKIE}`;
      return { name, value, maxAgeSeconds, isSecure, path: PATH, sameSite: 'Strict' };
    };
    const sent = readCookie(request, cookie('', 0).name);
    const [, id, secret] = FORM.exec(sent ?? '') ?? [];
    // Unless it gets another value.
    if (sent !== null) request.cookie = cookie('', 0);
    const give = (value: string) => (request.cookie = cookie(value, IDLE_SECONDS));
    if (request.token !== null) {
      if (id !== undefined) await this.end(id);
      return this.begin(request, give);
    }
    if (id === undefined || secret === undefined) return NONE;
    const session = await this.continue(id, secret, give);
    if (session.retry === true) request.cookie = null;
    return session;
  }

  private async begin({ token, session }: Request, give: (value: string) => void): Promise<ConsoleSession> {
    // An API key isn't renewed.
    if (token === null || session === null || session.apiKeyId !== undefined) return NONE;
    const renewed = await this.refresh(token);
    if (renewed === null) return NONE;
    const [id, secret] = [newSecret(), newSecret()];
    const beganAtMs = Date.now();
    const lifeMs = renewed.expiresAt - beganAtMs;
    const kept: Kept = {
      userId: session.userId,
      secret: digestOf(secret),
      replaced: '',
      replacedAtMs: 0,
      beganAtMs,
      token: sealSecret(renewed.jwt, SEALED, id),
      lifeMs,
    };
    await this.store.put(digestOf(id), kept, { ifVersion: 0 });
    give(`${id}.${secret}`);
    await this.sweep({ query: { range: { beganAtMs: { lt: beganAtMs - MAX_AGE_MS } } } });
    const ofUser = { query: { term: { 'userId.keyword': session.userId } }, sort: { beganAtMs: 'desc' } };
    await this.sweep({ ...ofUser, from: MAX_PER_USER });
    return { jwt: renewed.jwt };
  }

  /** Ends sessions. Their tokens, which only their cookies can decrypt, stay valid until they expire. */
  private async sweep(search: PluginSearch): Promise<void> {
    const { documents } = await this.store.search({ ...search, size: SWEPT });
    for (const { id } of documents) await this.store.delete(id);
  }

  private async continue(id: string, secret: string, give: (value: string) => void): Promise<ConsoleSession> {
    const found = await this.store.get(digestOf(id));
    if (found === null) return NONE;
    const kept = found.content as Kept;
    const nowMs = Date.now();
    if (digestOf(secret) !== kept.secret) {
      const isRace = digestOf(secret) === kept.replaced && nowMs - kept.replacedAtMs < RACE_MS;
      if (isRace) return RETRY;
      this.host.log.warn(
        { userId: kept.userId },
        'a cookie of the console was used again after its replacement: the session was ended',
      );
      return this.end(id);
    }
    const jwt = openSecret(kept.token, SEALED, id);
    const expiresAt = jwt === null ? null : await this.expiryOf(jwt);
    if (jwt === null || expiresAt === null || nowMs - kept.beganAtMs > MAX_AGE_MS) return this.end(id);
    const next = newSecret();
    const claimed = { ...kept, secret: digestOf(next), replaced: kept.secret, replacedAtMs: nowMs };
    // Of several requests with one cookie, one goes on.
    const version = await this.replace(found, claimed);
    if (version === null) return RETRY;
    give(`${id}.${next}`);
    if (expiresAt - nowMs > kept.lifeMs * (1 - RENEWED_PART)) return { jwt };
    const renewed = await this.refresh(jwt);
    // It was renewed too often for now, or ends on its own.
    if (renewed === null) return { jwt };
    const token = sealSecret(renewed.jwt, SEALED, id);
    const isKept = await this.replace({ ...found, version }, { ...claimed, token, lifeMs: renewed.expiresAt - nowMs });
    if (isKept !== null) return { jwt: renewed.jwt };
    // The session was ended meanwhile, without this token.
    await this.logOut(renewed.jwt);
    return NONE;
  }

  /** Ends a session with its token. */
  private async end(id: string): Promise<ConsoleSession> {
    const key = digestOf(id);
    const found = await this.store.get(key);
    if (found === null) return NONE;
    await this.store.delete(key);
    const jwt = openSecret((found.content as Kept).token, SEALED, id);
    if (jwt !== null) await this.logOut(jwt);
    return NONE;
  }

  private async logOut(jwt: string): Promise<void> {
    await this.host.execute({ controller: 'auth', action: 'logout', jwt });
  }

  /** @returns the new version; null if another request was faster */
  private async replace({ id, version }: PluginDocument, kept: Kept): Promise<number | null> {
    try {
      return (await this.store.put(id, kept, { ifVersion: version })).version;
    } catch (error) {
      const isLost = isError(error, documentErrors.version_conflict) || isError(error, documentErrors.not_found);
      if (isLost) return null;
      throw error;
    }
  }

  /** @returns null if the user may not, or if the token has ended */
  private async refresh(jwt: string): Promise<NewToken | null> {
    const renewal = { controller: 'auth', action: 'refreshToken', jwt };
    const long = await this.host.execute({ ...renewal, expiresIn: IDLE_SECONDS });
    // Longer than `security.jwt.maxTTL`: as long as a login.
    const { status, result } = long.status === 400 ? await this.host.execute(renewal) : long;
    return status === 200 ? (result as unknown as NewToken) : null;
  }

  /** @returns UTC milliseconds; null if the token has ended */
  private async expiryOf(token: string): Promise<number | null> {
    const { result } = await this.host.execute({ controller: 'auth', action: 'checkToken', token });
    const { valid, expiresAt } = result as { readonly valid: boolean; readonly expiresAt?: number };
    return valid && expiresAt !== undefined ? expiresAt : null;
  }
}

/**
 * @returns whether the page came over TLS
 * @throws security.origin_refused (403), api.unsupported_media_type (415)
 */
function assertOwnPage({ connection }: Request): boolean {
  const header = (name: string) => connection.header?.(name) ?? '';
  const [origin, site, contentType] = [header('origin'), header('sec-fetch-site'), header('content-type')];
  // Browsers send Sec-Fetch-Site over TLS and to the machine itself; elsewhere Origin and Host say the same.
  const isOwn = site === '' ? URL.canParse(origin) && new URL(origin).host === header('host') : site === 'same-origin';
  if (origin === '' || !isOwn) throw securityErrors.origin_refused({ reason: 'only the page of the console uses it' });
  // A form of another page can't send it.
  if (!contentType.startsWith('application/json')) throw apiErrors.unsupported_media_type({ contentType });
  return origin.startsWith('https:');
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Of random secrets: a slow hash would add nothing. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
