/*
 * The browser profile of SAML on passport-saml: it makes requests and metadata, and checks signatures, conditions and
 * audience of answers. Requests are remembered in our own store, through its cache provider. What it answers with is the
 * signed assertion; judging the rest is up to us. It runs on an object of its own for each login, as passport does it.
 */
import { Strategy, ValidateInResponseTo, type CacheProvider } from '@node-saml/passport-saml';
import type { ExpiringStore } from '@millrace/kernel';
import type { SamlSettings } from './SamlSettings.js';

/** What a flow is made of. */
export interface SamlFlowParts {
  readonly settings: SamlSettings;
  /** Within reach of every node. */
  readonly requests: ExpiringStore;
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
    const { settings, requests, requestLifeMs, clockSkewMs } = parts;
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
      // An identifier in XML begins with a letter or `_`.
      generateUniqueId: () => `_${requests.newKey()}`,
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
  async takeRequest(id: string): Promise<boolean> {
    return (await this.parts.requests.take(toKey(id))) !== null;
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

  /**
   * Where node-saml keeps its requests. It would forget one as soon as any answer to it is bad, so that whoever knows
   * its ID could spoil a login: here requests end by `takeRequest` alone.
   */
  private requestCache(): CacheProvider {
    const { requests, requestLifeMs, settings } = this.parts;
    const { strategy } = settings;
    return {
      saveAsync: async (id, value) => {
        await requests.add(toKey(id), { strategy, value }, requestLifeMs);
        return { value, createdAt: Date.now() };
      },
      getAsync: async (id) => {
        const kept = await requests.read(toKey(id));
        const isOwn = kept?.['strategy'] === strategy;
        return isOwn && typeof kept['value'] === 'string' ? kept['value'] : null;
      },
      removeAsync: async () => null,
    };
  }
}

function toKey(id: string): string {
  return id.slice(1);
}
