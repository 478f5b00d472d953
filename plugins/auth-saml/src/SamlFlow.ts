/*
 * The browser profile of SAML on passport-saml, which creates requests and metadata, and checks signatures,
 * conditions and audience of responses. The id of a request is a ticket, which returns as InResponseTo: requests take
 * no memory, so no client can evict the requests of others. passport-saml returns the signed assertion; SamlLogin
 * checks the rest. Each login runs on a separate object, as in passport.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Strategy, ValidateInResponseTo, type CacheProvider } from '@node-saml/passport-saml';
import type { JsonObject, Tickets } from '@millrace/kernel';
import type { SamlSettings } from './SamlSettings.js';

/** A response with valid signatures, conditions and audience. */
export interface SignedAnswer {
  /** The signed assertion, as parsed by xml2js. */
  readonly assertion: unknown;
  /** From the response; the assertion must contain the same value. */
  readonly inResponseTo: string;
}

/** The flow with one identity provider. */
export class SamlFlow {
  private readonly strategy: Strategy;
  /** See `LoginAttempt.returning`: node-saml asks for an id without saying for which login. */
  private readonly returning = new AsyncLocalStorage<JsonObject | undefined>();

  constructor(
    private readonly settings: SamlSettings,
    /** Every node can decrypt them. */
    private readonly requests: Tickets,
    private readonly requestLifeMs: number,
    clockSkewMs: number,
  ) {
    const { privateKey } = settings;
    const options = {
      entryPoint: settings.entryPoint,
      idpIssuer: settings.idpIssuer,
      idpCert: [...settings.idpCert],
      issuer: settings.issuer,
      callbackUrl: settings.callbackURL,
      audience: settings.audience,
      identifierFormat: settings.identifierFormat,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: settings.wantResponseSigned,
      // The provider decides how the user authenticates.
      disableRequestedAuthnContext: true,
      acceptedClockSkewMs: clockSkewMs,
      validateInResponseTo: ValidateInResponseTo.always,
      requestIdExpirationPeriodMs: requestLifeMs,
      cacheProvider: this.requestCache(),
      generateUniqueId: () => this.newRequestId(),
      signatureAlgorithm: 'sha256' as const,
      digestAlgorithm: 'sha256',
      ...(privateKey === null ? undefined : { privateKey }),
    };
    const verify = (profile: unknown, done: (error: null, user: never) => void) => done(null, profile as never);
    this.strategy = new Strategy(options, verify, verify);
  }

  /** The URL at which the client continues. */
  requestAddress(returning?: JsonObject): Promise<string> {
    return this.returning.run(returning, () => this.run({}, 'redirect')) as Promise<string>;
  }

  /**
   * Checks a response.
   * @throws Error of node-saml if it is invalid
   */
  async check(samlResponse: string): Promise<SignedAnswer> {
    const profile = await this.run({ SAMLResponse: samlResponse }, 'success');
    const { getAssertion, inResponseTo } = profile as {
      readonly getAssertion?: () => unknown;
      readonly inResponseTo?: unknown;
    };
    if (getAssertion === undefined || typeof inResponseTo !== 'string') {
      throw new Error('InResponseTo is missing');
    }
    return { assertion: getAssertion(), inResponseTo };
  }

  /** Redeems a request: of several responses to it, one gets its content. */
  async redeemRequest(id: string): Promise<JsonObject | null> {
    return this.requests.redeem(toTicket(id));
  }

  /** This server's metadata, as XML. */
  metadata(): string {
    const { publicCert } = this.settings;
    return this.strategy.generateServiceProviderMetadata(null, publicCert);
  }

  private run(body: object, wanted: 'redirect' | 'success'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('no user'));
      const ends = { redirect: fail, success: fail, fail, pass: fail, error: reject };
      const running = Object.assign(Object.create(this.strategy) as Strategy, ends, {
        [wanted]: resolve,
      });
      running.authenticate({ query: {}, body, headers: {}, url: '/' } as never, {});
    });
  }

  private newRequestId(): string {
    const { requests, requestLifeMs, settings } = this;
    const returning = this.returning.getStore();
    const value = { strategy: settings.strategy, atMs: Date.now(), ...(returning && { returning }) };
    // An XML id begins with a letter or `_`.
    return `_${requests.issue(value, requestLifeMs)}`;
  }

  /**
   * Cache in which node-saml looks up the issue time of requests. Its default cache would drop a request after any
   * invalid response to it, so that anyone who knows the id could disrupt a login; here only `redeemRequest` ends
   * requests.
   */
  private requestCache(): CacheProvider {
    const { requests, settings } = this;
    return {
      saveAsync: async (_, value) => ({ value, createdAt: Date.now() }),
      getAsync: async (id) => {
        const { strategy, atMs } = (await requests.read(toTicket(id))) ?? {};
        const isOwn = strategy === settings.strategy && typeof atMs === 'number';
        return isOwn ? new Date(atMs).toISOString() : null;
      },
      removeAsync: async () => null,
    };
  }
}

/** Removes the `_` at the beginning of the id. */
function toTicket(id: string): string {
  return id.slice(1);
}
