/*
 * One provider as a strategy. The parameter `code` (or `error`), which only a provider sends, distinguishes the two
 * steps: without it the client is redirected to the provider, with it the login ends here. The user is determined by
 * the provider's identifier alone.
 */
import { randomBytes } from 'node:crypto';
import {
  apiErrors,
  isJsonObject,
  Redirect,
  withDeadline,
  type JsonObject,
  type JsonValue,
  type LoginAttempt,
} from '@millrace/kernel';
import { CodeFlow, toErrorCode, type Endpoints, type ProviderTokens } from './CodeFlow.js';
import { oauth2Errors } from './errors.js';
import type { BegunLogin, LoginStates, PendingLogin } from './LoginStates.js';
import type { DiscoveredProvider, OpenIdProvider } from './OpenIdProvider.js';
import type { ProviderClient } from './ProviderClient.js';
import type { ProviderSettings } from './ProviderSettings.js';

const MAX_IDENTIFIER_LENGTH = 1_024;

// Cc: control characters. Cs: unpaired surrogates, which UTF-8 can't represent.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** Parameters sent by the client. */
interface LoginParameters {
  readonly code: string | null;
  readonly error: string | null;
  readonly issuer: string | null;
}

const MAX_PARAMETER_LENGTH = 8_192;
/** Added to the provider's time limit, for code that ignores the signal. */
const GRACE_MS = 100;

/** Logs users in with one provider. */
export class OAuth2Login {
  /** Separate counts, so that a crowd of first steps can't block the second steps. */
  private readonly askingCounts = { begin: 0, finish: 0 };

  constructor(
    private readonly settings: ProviderSettings,
    private readonly client: ProviderClient,
    private readonly states: LoginStates,
    /** Null if the provider is plain OAuth2. */
    private readonly openId: OpenIdProvider | null,
    private readonly timeoutMs: number,
    private readonly maxConcurrent: number,
  ) {}

  /** Runs either step. @throws the errors of this plugin; api.invalid_argument (400) */
  async run(attempt: LoginAttempt): Promise<Redirect | { readonly userId: string } | null> {
    const { client, timeoutMs, maxConcurrent } = this;
    const parameters = readParameters(attempt.parameters);
    const step = parameters.code === null && parameters.error === null ? 'begin' : 'finish';
    const counts = this.askingCounts;
    // A provider that hangs must not occupy every slot for slow requests.
    if (counts[step] >= maxConcurrent) throw client.unavailable('too many logins ask it now');
    counts[step]++;
    const signal = AbortSignal.timeout(timeoutMs);
    const work = step === 'begin' ? this.begin(attempt, signal) : this.finish(attempt, parameters, signal);
    try {
      return await withDeadline<Redirect | { readonly userId: string } | null>(work, timeoutMs + GRACE_MS, () =>
        client.unavailable('no answer in time'),
      );
    } finally {
      counts[step]--;
    }
  }

  private async begin({ request, returning }: LoginAttempt, signal: AbortSignal): Promise<Redirect> {
    const { states, settings, openId } = this;
    const { strategy, callbackURL } = settings;
    const { endpoints } = await this.provider(signal);
    const nonce = randomBytes(32).toString('base64url');
    const begun: BegunLogin[] = [];
    const flow = new CodeFlow(settings, endpoints, this.client);
    const location = await flow.authorizationAddress(openId === null ? null : nonce, async (verifier) => {
      const login = states.begin(strategy, request, { verifier, nonce, returning });
      begun.push(login);
      return login.state;
    });
    const [login] = begun;
    if (login === undefined) throw new Error('passport-oauth2 has kept no state');
    const { state, secret: stateSecret } = login;
    if (request.connection.protocol !== 'http') return new Redirect(location, { state, stateSecret });
    // In a browser the secret is stored where scripts can't read it.
    request.cookie = states.cookie(login, callbackURL);
    return new Redirect(location, { state });
  }

  private async finish(
    attempt: LoginAttempt,
    { code, error, issuer }: LoginParameters,
    signal: AbortSignal,
  ): Promise<{ readonly userId: string } | null> {
    const { states, settings, openId } = this;
    const { strategy, callbackURL } = settings;
    const login = await states.take(strategy, attempt, callbackURL);
    attempt.resume?.(login.returning);
    if (code === null || error !== null) {
      const reason = toErrorCode(error) ?? 'without a reason';
      throw oauth2Errors.provider_denied({ strategy, reason });
    }
    if (openId !== null && issuer !== null && issuer !== settings.issuer) {
      throw this.refused('another issuer answered (iss)');
    }
    const { endpoints, discovered } = await this.provider(signal);
    const flow = new CodeFlow(settings, endpoints, this.client);
    const tokens = await flow.exchange({ code, verifier: login.verifier, signal });
    const attributes =
      discovered === null
        ? await this.readProfile(tokens, signal)
        : await this.readClaims({ tokens, login, discovered, signal });
    return this.userOf(attributes, attempt);
  }

  private async provider(
    signal: AbortSignal,
  ): Promise<{ readonly endpoints: Endpoints; readonly discovered: DiscoveredProvider | null }> {
    const { settings, openId } = this;
    if (openId !== null) {
      const discovered = await openId.discover(signal);
      return { endpoints: discovered, discovered };
    }
    const { authorizationURL, tokenURL, clientAuthentication } = settings;
    const endpoints = {
      authorizationURL: authorizationURL ?? '',
      tokenURL: tokenURL ?? '',
      clientAuthentication: clientAuthentication ?? 'basic',
    };
    return { endpoints, discovered: null };
  }

  private readProfile({ accessToken }: ProviderTokens, signal: AbortSignal): Promise<JsonObject> {
    const { client, settings } = this;
    const headers = { authorization: `Bearer ${accessToken}` };
    return client.sendForObject(settings.profileURL ?? '', { method: 'GET', headers, signal });
  }

  /** The claims of the id_token, extended by those of userinfo if a required claim is missing. */
  private async readClaims(from: {
    readonly tokens: ProviderTokens;
    readonly login: PendingLogin;
    readonly discovered: DiscoveredProvider;
    readonly signal: AbortSignal;
  }): Promise<JsonObject> {
    const { settings, openId } = this;
    const { tokens, login, discovered, signal } = from;
    if (openId === null) return {};
    const claims = await openId.verify(tokens.idToken, login.nonce, discovered);
    const { identifierAttribute, attributeMap } = settings;
    const wanted = [identifierAttribute, ...attributeMap.values()];
    const isComplete = wanted.every((path) => readAttribute(claims, path) !== undefined);
    const { userinfoURL } = discovered;
    if (isComplete || userinfoURL === null) return claims;
    const { accessToken } = tokens;
    const more = await openId.userinfo(userinfoURL, { accessToken, sub: claims['sub'], signal });
    return { ...more, ...claims };
  }

  private async userOf(
    attributes: JsonObject,
    { identities }: LoginAttempt,
  ): Promise<{ readonly userId: string } | null> {
    const { settings, client } = this;
    const { identifierAttribute, issuer, createUser, defaultProfileIds, attributeMap } = settings;
    const identifier = readIdentifier(attributes, identifierAttribute);
    if (identifier === null) {
      throw client.failed(`it names no user (attribute ${JSON.stringify(identifierAttribute)})`);
    }
    const known = settings.users.get(identifier);
    if (known !== undefined) return { userId: known };
    // A `sub` is only unique together with its issuer (OpenID Connect Core 5.7).
    const identity = issuer === null ? identifier : `${issuer} ${identifier}`;
    if (!createUser) {
      const userId = await identities.find(identity);
      return userId === null ? null : { userId };
    }
    const content = mapAttributes(attributes, attributeMap);
    const user = { profileIds: defaultProfileIds, content };
    return { userId: await identities.findOrCreate(identity, user) };
  }

  private refused(problem: string) {
    return oauth2Errors.identity_refused({ strategy: this.settings.strategy, problem });
  }
}

/** @throws api.invalid_argument (400) if a value is not a string; errors never include values */
function readParameters(parameters: JsonObject): LoginParameters {
  const [code, error, issuer] = ['code', 'error', 'iss', 'state', 'stateSecret'].map((name) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined || value === null) return null;
    const isText = typeof value === 'string' && value !== '' && value.length <= MAX_PARAMETER_LENGTH;
    if (isText) return value;
    const expected = `a string of 1 to ${MAX_PARAMETER_LENGTH} characters`;
    throw apiErrors.invalid_argument({ name, value: 'something else', expected });
  });
  return { code: code ?? null, error: error ?? null, issuer: issuer ?? null };
}

/**
 * The value at a path of attributes: `sub`, or `profile.name`; a key that contains the dot takes precedence. Absent:
 * undefined.
 */
function readAttribute(attributes: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(attributes, path)) return attributes[path];
  let value: JsonValue = attributes;
  for (const key of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    const inner: JsonValue | undefined = value[key];
    if (inner === undefined) return undefined;
    value = inner;
  }
  return value;
}

/**
 * The provider's identifier of a user: a string, or an integer (GitHub uses integers). @returns null for other values
 */
function readIdentifier(attributes: JsonObject, path: string): string | null {
  const value = readAttribute(attributes, path);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > MAX_IDENTIFIER_LENGTH) return null;
  return REFUSED.test(value) ? null : value;
}

/** Properties of a new user, each from its attribute; missing attributes are omitted. */
function mapAttributes(attributes: JsonObject, attributeMap: ReadonlyMap<string, string>): JsonObject {
  const found = [...attributeMap].flatMap(([property, path]): [string, JsonValue][] => {
    const value = readAttribute(attributes, path);
    return value === undefined || value === null ? [] : [[property, value]];
  });
  return Object.fromEntries(found);
}
