/*
 * The browser profile of SAML on passport-saml: it makes requests and metadata, and checks signatures, conditions and
 * audience of answers. The identifier of a request is a ticket, which comes back as InResponseTo: nothing is kept for a
 * request, so no client can push the requests of others out. What passport-saml returns is the signed assertion; the rest is
 * checked by SamlLogin. Each login runs on a separate object, as passport does it.
 */
import { Strategy, ValidateInResponseTo, type CacheProvider } from '@node-saml/passport-saml';
import type { Tickets } from '@millrace/kernel';
import type { SamlSettings } from './SamlSettings.js';

/** What a flow is made of. */
export interface SamlFlowParts {
  readonly settings: SamlSettings;
  /** Every node can open them. */
  readonly requests: Tickets;
  readonly requestLifeMs: number;
  readonly clockSkewMs: number;
}

/** An answer whose signatures, conditions and audience are good. */
export interface SignedAnswer {
  /** The signed assertion, as xml2js reads it. */
  readonly assertion: unknown;
  /** Of the answer; the assertion must say the same. */
  readonly inResponseTo: string;
}

/** The flow with one identity provider. */
export class SamlFlow {
  private readonly strategy: Strategy;

  constructor(private readonly parts: SamlFlowParts) {
    const { settings, requestLifeMs, clockSkewMs } = parts;
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
      // How the user proves it is theirs is up to the provider.
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
    const verify = (profile: unknown, done: (error: null, user: never) => void) =>
      done(null, profile as never);
    this.strategy = new Strategy(options, verify, verify);
  }

  /** The address where the client goes on. */
  requestAddress(): Promise<string> {
    return this.run({}, 'redirect') as Promise<string>;
  }

  /**
   * Checks an answer.
   * @throws Error of node-saml for one that is not to be believed
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

  /** Ends a request: of several answers to it, one gets true. */
  async redeemRequest(id: string): Promise<boolean> {
    return (await this.parts.requests.redeem(toTicket(id))) !== null;
  }

  /** This server's own metadata, XML. */
  metadata(): string {
    const { publicCert } = this.parts.settings;
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
    const { requests, requestLifeMs, settings } = this.parts;
    const value = { strategy: settings.strategy, atMs: Date.now() };
    // An identifier in XML begins with a letter or `_`.
    return `_${requests.issue(value, requestLifeMs)}`;
  }

  /**
   * Where node-saml looks its requests up: it asks for the time of issue. It would forget a request as soon as any answer
   * to it is bad, so that whoever knows its ID could spoil a login: here requests end by `redeemRequest` alone.
   */
  private requestCache(): CacheProvider {
    const { requests, settings } = this.parts;
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

/** Without the `_` that an identifier begins with. */
function toTicket(id: string): string {
  return id.slice(1);
}
