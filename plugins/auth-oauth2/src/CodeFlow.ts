/*
 * The Authorization Code grant on passport-oauth2, which builds the authorization URL with its PKCE pair (S256) and
 * the parameters of the exchange. Its other parts are replaced through its extension points: the state store (a
 * pending login instead of a session), the exchange itself (limited in time and size, HTTP Basic as in RFC 6749
 * 2.3.1, no redirections), the profile (none: see OAuth2Login). One flow serves all logins; each runs on a separate
 * object, as in passport.
 */
import { Strategy } from 'passport-oauth2';
import { isJsonObject, type JsonObject, type MillraceError } from '@millrace/kernel';
import { oauth2Errors } from './errors.js';
import type { ProviderAnswer, ProviderClient } from './ProviderClient.js';
import type { ProviderSettings } from './ProviderSettings.js';

/** Endpoints of a provider, and the server's credentials there. */
export interface Endpoints {
  readonly authorizationURL: string;
  readonly tokenURL: string;
  readonly clientAuthentication: 'basic' | 'post';
}

/** The tokens received for a code. */
export interface ProviderTokens {
  readonly accessToken: string;
  /** Unverified. */
  readonly idToken: unknown;
}

/** Step one: stores the PKCE verifier and returns the state. */
export type KeepVerifier = (verifier: string) => Promise<string>;

/** Input of step two. */
export interface CodeExchange {
  readonly code: string;
  readonly verifier: string;
  readonly signal: AbortSignal;
}

interface FlowRequest {
  readonly query: Readonly<Record<string, never>>;
  readonly body: { readonly code?: string };
  readonly keep?: KeepVerifier;
  readonly verifier?: string;
}

type Done = (error: unknown, ...results: readonly unknown[]) => void;

/** OAuth error codes (RFC 6749 section 5.2) that concern the server's client registration rather than the code. */
const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_grant_type'];
const ERROR_CODE = /^[\w.-]{1,60}$/;

/** The code flow with one provider. */
export class CodeFlow {
  constructor(
    private readonly settings: ProviderSettings,
    private readonly endpoints: Endpoints,
    private readonly client: ProviderClient,
  ) {}

  /** The URL at which the client continues. */
  authorizationAddress(nonce: string | null, keep: KeepVerifier): Promise<string> {
    const { authorizationParameters } = this.settings;
    const parameters = { ...authorizationParameters, ...(nonce === null ? undefined : { nonce }) };
    return new Promise((resolve, reject) => {
      const flow = this.strategy((_code, _parameters, done) => done(new Error('no code was given')));
      flow.authorizationParams = () => parameters;
      const ends = {
        redirect: resolve,
        error: reject,
        fail: reject,
        success: reject,
        pass: reject,
      };
      start(flow, { query: {}, body: {}, keep }, ends);
    });
  }

  /** @throws auth.provider_denied (401), auth.provider_failed (502), auth.provider_unavailable (503) */
  exchange({ code, verifier, signal }: CodeExchange): Promise<ProviderTokens> {
    return new Promise((resolve, reject) => {
      const flow = this.strategy((given, parameters, done) => {
        this.askForTokens({ ...parameters, code: given }, signal).then(
          ({ accessToken, idToken }) => done(null, accessToken, undefined, { id_token: idToken }),
          // Bypasses passport-oauth2, which would wrap the error.
          reject,
        );
      });
      const success = (tokens: unknown) => resolve(tokens as ProviderTokens);
      const ends = { success, error: reject, fail: reject, redirect: reject, pass: reject };
      start(flow, { query: {}, body: { code }, verifier }, ends);
    });
  }

  private strategy(exchange: (code: string, parameters: Record<string, string>, done: Done) => void): Strategy {
    const { clientID, clientSecret, callbackURL, scope } = this.settings;
    const { authorizationURL, tokenURL } = this.endpoints;
    const options = {
      authorizationURL,
      tokenURL,
      clientID,
      clientSecret: clientSecret ?? '',
      callbackURL,
      // An empty list would produce an empty parameter.
      ...(scope.length === 0 ? undefined : { scope: [...scope] }),
      pkce: true,
      state: true,
      store: STATE_STORE,
      passReqToCallback: true as const,
      skipUserProfile: true,
    };
    const flow = new Strategy(options as never, toTokens as never);
    const { _oauth2 } = flow as unknown as { _oauth2: { getOAuthAccessToken: unknown } };
    _oauth2.getOAuthAccessToken = exchange;
    return flow;
  }

  private async askForTokens(
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ProviderTokens> {
    const { clientID, clientSecret } = this.settings;
    const form = new URLSearchParams({ ...parameters });
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    if (clientSecret !== null && this.endpoints.clientAuthentication === 'basic') {
      const pair = `${toFormText(clientID)}:${toFormText(clientSecret)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else {
      form.set('client_id', clientID);
      if (clientSecret !== null) form.set('client_secret', clientSecret);
    }
    const body = form.toString();
    const { tokenURL } = this.endpoints;
    const answer = await this.client.send(tokenURL, { method: 'POST', headers, body, signal });
    return this.toTokens(answer);
  }

  private toTokens(answer: ProviderAnswer): ProviderTokens {
    this.client.assertServing(answer);
    const fields = this.client.toObject(answer);
    // GitHub sends errors with status 200.
    if (answer.status !== 200 || Object.hasOwn(fields, 'error')) throw this.toRefusal(answer, fields);
    const { access_token: accessToken, token_type: type, id_token: idToken } = fields;
    if (typeof accessToken !== 'string' || accessToken === '') {
      throw this.client.failed('there is no access token in it');
    }
    const isBearer = type === undefined || (typeof type === 'string' && /^bearer$/i.test(type));
    if (!isBearer) throw this.client.failed('its access token is none for bearers');
    return { accessToken, idToken };
  }

  private toRefusal({ status }: ProviderAnswer, fields: JsonObject): MillraceError {
    const reason = toErrorCode(fields['error']);
    if (reason === null) return this.client.failed(`status ${status} at the exchange of the code`);
    if (CLIENT_ERRORS.includes(reason)) {
      return this.client.failed(`it doesn't take this server for its client (${reason})`);
    }
    return oauth2Errors.provider_denied({ strategy: this.settings.strategy, reason });
  }
}

/** A provider's error code if it is safe to show, otherwise null. */
export function toErrorCode(value: unknown): string | null {
  return typeof value === 'string' && ERROR_CODE.test(value) ? value : null;
}

/** passport-oauth2 detects a store's features from the number of parameters, so both lists must remain complete. */
const STATE_STORE = {
  store(request: FlowRequest, verifier: string, _state: unknown, _meta: unknown, done: Done): void {
    if (request.keep === undefined) return done(new Error('step one keeps the verifier'));
    request.keep(verifier).then(
      (state) => done(null, state),
      (error: unknown) => done(error),
    );
  },
  // The state was already redeemed and checked before the flow begins.
  verify(request: FlowRequest, _state: unknown, _meta: unknown, done: Done): void {
    done(null, request.verifier);
  },
};

/** The verify callback of passport-oauth2: the tokens take the place of its user. */
function toTokens(
  _request: unknown,
  accessToken: string,
  _refreshToken: unknown,
  parameters: unknown,
  _profile: unknown,
  done: (error: unknown, tokens: ProviderTokens) => void,
): void {
  const idToken = isJsonObject(parameters) ? parameters['id_token'] : undefined;
  done(null, { accessToken, idToken });
}

function start(flow: Strategy, request: FlowRequest, ends: object): void {
  const running = Object.assign(Object.create(flow) as Strategy, ends);
  running.authenticate(request as never, {});
}

/** Encodes as in RFC 6749 appendix B. */
function toFormText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
