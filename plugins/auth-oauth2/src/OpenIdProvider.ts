/*
 * The OpenID Connect part of a provider. Discovery runs at the first login and its result is cached for an hour, so
 * the server starts even if the provider is unavailable. A failure is cached for two seconds, so that concurrent
 * logins don't wait for an unavailable provider one after the other. An id_token is accepted only if every check of
 * OpenID Connect Core 3.1.3.7 passes, with keys from the provider's JWKS and asymmetric algorithms.
 */
import { createRemoteJWKSet, customFetch, errors as joseErrors, jwtVerify } from 'jose';
import { MillraceError, type Clock, type JsonObject, type JsonValue } from '@millrace/kernel';
import { oauth2Errors } from './errors.js';
import type { ProviderClient } from './ProviderClient.js';
import type { ProviderSettings } from './ProviderSettings.js';

/** Result of discovery. */
export interface DiscoveredProvider {
  readonly authorizationURL: string;
  readonly tokenURL: string;
  readonly userinfoURL: string | null;
  readonly clientAuthentication: 'basic' | 'post';
  /** The keys that verify signatures. */
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** Request for a user's attributes. */
export interface UserinfoRequest {
  readonly accessToken: string;
  /** From the id_token. */
  readonly sub: JsonValue | undefined;
  readonly signal: AbortSignal;
}

const KEPT_MS = 3_600_000;
const FAILURE_KEPT_MS = 2_000;
const MAX_CLOCK_SKEW_SECONDS = 60;
/** Older id_tokens were not issued for this login. */
const MAX_TOKEN_AGE_SECONDS = 600;
const ALGORITHMS = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]; // prettier-ignore

/** One OpenID Connect provider. */
export class OpenIdProvider {
  private kept: { readonly provider: DiscoveredProvider; readonly endsAtMs: number } | undefined;
  private failure: { readonly error: MillraceError; readonly endsAtMs: number } | undefined;

  constructor(
    private readonly settings: ProviderSettings & { readonly issuer: string },
    private readonly client: ProviderClient,
    private readonly clock: Clock,
  ) {}

  /** @throws auth.provider_unavailable (503), auth.provider_failed (502) */
  async discover(signal: AbortSignal): Promise<DiscoveredProvider> {
    const nowMs = this.clock.monotonicMs();
    if (this.kept !== undefined && this.kept.endsAtMs > nowMs) return this.kept.provider;
    if (this.failure !== undefined && this.failure.endsAtMs > nowMs) throw this.failure.error;
    try {
      const provider = await this.fetchMetadata(signal);
      this.kept = { provider, endsAtMs: this.clock.monotonicMs() + KEPT_MS };
      return provider;
    } catch (error) {
      if (error instanceof MillraceError) {
        this.failure = { error, endsAtMs: this.clock.monotonicMs() + FAILURE_KEPT_MS };
      }
      throw error;
    }
  }

  /**
   * Verifies an id_token and returns its claims.
   * @throws auth.identity_refused (401); auth.provider_unavailable (503) if the keys can't be loaded
   */
  async verify(idToken: unknown, nonce: string, { keys }: DiscoveredProvider): Promise<JsonObject> {
    const { issuer, clientID } = this.settings;
    if (typeof idToken !== 'string') throw this.refused('there is no id_token');
    try {
      const { payload } = await jwtVerify(idToken, keys, {
        issuer,
        audience: clientID,
        algorithms: ALGORITHMS,
        clockTolerance: MAX_CLOCK_SKEW_SECONDS,
        maxTokenAge: MAX_TOKEN_AGE_SECONDS,
        requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
        currentDate: new Date(this.clock.nowMs()),
      });
      if (typeof payload.sub !== 'string') throw this.refused('the id_token names no subject');
      if (payload['nonce'] !== nonce) throw this.refused('the nonce of the id_token is another one');
      const { aud, azp } = payload as { readonly aud?: unknown; readonly azp?: unknown };
      const isForOthersToo = Array.isArray(aud) && aud.length > 1;
      if (azp === undefined ? isForOthersToo : azp !== clientID) {
        throw this.refused('the id_token was made for another client (azp)');
      }
      return payload as JsonObject;
    } catch (error) {
      throw this.toRefusal(error);
    }
  }

  /** Reads further attributes of the user. @throws auth.identity_refused (401) if they belong to another user */
  async userinfo(url: string, { accessToken, sub, signal }: UserinfoRequest): Promise<JsonObject> {
    const headers = { authorization: `Bearer ${accessToken}` };
    const attributes = await this.client.sendForObject(url, { method: 'GET', headers, signal });
    const isSame = Object.hasOwn(attributes, 'sub') && attributes['sub'] === sub;
    if (!isSame) throw this.refused('userinfo speaks of another user than the id_token');
    return attributes;
  }

  private async fetchMetadata(signal: AbortSignal): Promise<DiscoveredProvider> {
    const { settings } = this;
    const { issuer } = settings;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = await this.client.sendForObject(url, { method: 'GET', signal });
    if (metadata['issuer'] !== issuer) throw this.client.failed('discovery names another issuer');
    return {
      authorizationURL: settings.authorizationURL ?? this.endpoint(metadata, 'authorization_endpoint'),
      tokenURL: settings.tokenURL ?? this.endpoint(metadata, 'token_endpoint'),
      userinfoURL: metadata['userinfo_endpoint'] === undefined ? null : this.endpoint(metadata, 'userinfo_endpoint'),
      clientAuthentication: settings.clientAuthentication ?? authenticationOf(metadata),
      keys: this.keySet(this.endpoint(metadata, 'jwks_uri')),
    };
  }

  private keySet(url: string): DiscoveredProvider['keys'] {
    return createRemoteJWKSet(new URL(url), {
      [customFetch]: async (address, { signal }) => {
        const answer = await this.client.send(address, { method: 'GET', signal });
        this.client.assertServing(answer);
        return new Response(new Uint8Array(answer.bytes), { status: answer.status });
      },
    });
  }

  /** An endpoint from discovery, which must be protected as well as the issuer. */
  private endpoint(metadata: JsonObject, name: string): string {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    const isPlain = url?.protocol === 'http:' && this.settings.issuer.startsWith('http:');
    if (url !== null && typeof value === 'string' && (url.protocol === 'https:' || isPlain)) {
      return value;
    }
    throw this.client.failed(`discovery has no ${name} that can be used`);
  }

  private toRefusal(error: unknown): unknown {
    if (error instanceof MillraceError) return error;
    if (error instanceof joseErrors.JWKSTimeout) return this.client.unavailable('its keys don’t come');
    if (error instanceof joseErrors.JOSEError) return this.refused(`id_token: ${problemOf(error)}`);
    return error;
  }

  private refused(problem: string) {
    return oauth2Errors.identity_refused({ strategy: this.settings.strategy, problem });
  }
}

/** OpenID Connect Discovery 3: HTTP Basic is the default. */
function authenticationOf(metadata: JsonObject): 'basic' | 'post' {
  const supported = metadata['token_endpoint_auth_methods_supported'];
  if (!Array.isArray(supported) || supported.includes('client_secret_basic')) return 'basic';
  return supported.includes('client_secret_post') ? 'post' : 'basic';
}

/** The problem, named by claim or error code, without any value. */
function problemOf(error: joseErrors.JOSEError): string {
  const claim = (error as { readonly claim?: unknown }).claim;
  return typeof claim === 'string' && claim !== 'unspecified' ? `${error.code} (${claim})` : error.code;
}
