import { Redirect, type JsonObject, type JsonValue, type LoginAttempt, type ReplayGuard } from '@millrace/kernel';
import { samlErrors } from './errors.js';
import { NAME_ID } from './parseSamlProviders.js';
import { AssertionProblem, readAssertion, type ReadAssertion } from './readAssertion.js';
import { readResponse } from './readResponse.js';
import type { SamlFlow } from './SamlFlow.js';
import type { SamlSettings } from './SamlSettings.js';

/**
 * Patterns in node-saml's error messages, and the messages used instead; the original ones may quote the response.
 */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/audience/i, 'it was made for another audience'],
  [/InResponseTo/i, 'it answers no request of this server, or one that has been answered'],
  [/expired|too old/i, 'it has expired'],
  [/not yet valid/i, 'it is not valid yet'],
  [/signature|signed|transforms|Referenced|ref URI/i, 'it is not signed as it must be'],
  [/SAML provider returned/i, 'the identity provider denied the login'],
  [/confirmation/i, 'it has expired, or confirms no bearer'],
  [/Encrypted|decrypt/i, 'it is encrypted, which this server has not asked for'],
];

const FIELD = 'SAMLResponse';
const MAX_IDENTIFIER_LENGTH = 1_024;
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
// Cc: control characters. Cs: unpaired surrogates, which UTF-8 can't represent.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/**
 * Logs users in with one identity provider: without SAMLResponse the client is redirected there, with it the login
 * ends here.
 */
export class SamlLogin {
  constructor(
    private readonly settings: SamlSettings,
    private readonly flow: SamlFlow,
    /** Remembers used assertions. */
    private readonly used: ReplayGuard,
    private readonly clockSkewMs: number,
    private readonly maxResponseBytes: number,
  ) {}

  /** Runs either step. @throws auth.assertion_malformed (400), auth.assertion_refused (401) */
  async run(attempt: LoginAttempt): Promise<Redirect | { readonly userId: string } | null> {
    const { parameters } = attempt;
    const isStepOne = !Object.hasOwn(parameters, FIELD) || parameters[FIELD] === null;
    if (isStepOne) return new Redirect(await this.flow.requestAddress(attempt.returning));
    // URLs are logged and stored in histories; the redirect binding is not for responses (saml-profiles 4.1.2).
    const { body } = attempt.request;
    if (body === null || !Object.hasOwn(body, FIELD)) {
      const problem = 'expected in the body, not in the address';
      throw samlErrors.assertion_malformed({ problem });
    }
    const { text, hasOneAssertion } = readResponse(body[FIELD], this.maxResponseBytes);
    if (!hasOneAssertion) throw this.refused('expected one assertion, in its place');
    return this.userOf(await this.read(text, attempt), attempt);
  }

  private async read(text: string, attempt: LoginAttempt): Promise<ReadAssertion> {
    const { settings, flow, clockSkewMs } = this;
    const answer = await this.believed(() => flow.check(text));
    const { inResponseTo } = answer;
    const rules = {
      idpIssuer: settings.idpIssuer,
      recipient: settings.callbackURL,
      inResponseTo,
      nowMs: Date.now(),
      clockSkewMs,
    };
    const assertion = await this.believed(() => readAssertion(answer.assertion, rules));
    attempt.resume?.(await this.assertFirst(assertion, inResponseTo));
    return assertion;
  }

  /** A request is answered once, and an assertion is used once. @returns what the request has kept to return to */
  private async assertFirst({ id, endsAtMs }: ReadAssertion, inResponseTo: string): Promise<JsonValue | undefined> {
    const { settings, flow, used, clockSkewMs } = this;
    const lifeMs = endsAtMs - Date.now() + clockSkewMs;
    const key = `saml:assertion:${settings.strategy}:${id}`;
    const request = await flow.redeemRequest(inResponseTo);
    if (request === null || !used.claim(key, lifeMs)) throw this.refused('it has been used');
    return request['returning'];
  }

  private async userOf(
    assertion: ReadAssertion,
    { identities }: LoginAttempt,
  ): Promise<{ readonly userId: string } | null> {
    const { settings } = this;
    const { idpIssuer, createUser, defaultProfileIds, attributeMap } = settings;
    const identifier = this.identifierOf(assertion);
    const known = settings.users.get(identifier);
    if (known !== undefined) return { userId: known };
    // A subject is only unique together with its provider.
    const identity = `${idpIssuer} ${identifier}`;
    if (!createUser) {
      const userId = await identities.find(identity);
      return userId === null ? null : { userId };
    }
    const content = mapAttributes(assertion.attributes, attributeMap);
    const user = { profileIds: defaultProfileIds, content };
    return { userId: await identities.findOrCreate(identity, user) };
  }

  private identifierOf({ nameId, nameIdFormat, attributes }: ReadAssertion): string {
    const { identifierAttribute, allowEmailSubject } = this.settings;
    const isSubject = identifierAttribute === NAME_ID;
    if (isSubject && nameIdFormat === TRANSIENT) {
      throw this.refused('its subject is transient: another one at each login');
    }
    if (isSubject && nameIdFormat === EMAIL && !allowEmailSubject) {
      throw this.refused('its subject is an e-mail address, which may change hands');
    }
    const value = isSubject ? nameId : own(attributes, identifierAttribute);
    const isIdentifier =
      typeof value === 'string' && value.trim() !== '' && value.length <= MAX_IDENTIFIER_LENGTH && !REFUSED.test(value);
    if (!isIdentifier) throw this.refused('it names no user');
    return value;
  }

  private async believed<T>(check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      throw this.refused(toProblem(error));
    }
  }

  private refused(problem: string) {
    return samlErrors.assertion_refused({ strategy: this.settings.strategy, problem });
  }
}

function own(attributes: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function mapAttributes(attributes: JsonObject, attributeMap: ReadonlyMap<string, string>): JsonObject {
  const found = [...attributeMap].flatMap(([property, name]): [string, JsonValue][] => {
    const value = own(attributes, name);
    return value === undefined ? [] : [[property, value]];
  });
  return Object.fromEntries(found);
}

/** The problem with a response, without any part of it. */
function toProblem(error: unknown): string {
  if (error instanceof AssertionProblem) return error.message;
  const text = error instanceof Error ? error.message : '';
  return PROBLEMS.find(([words]) => words.test(text))?.[1] ?? 'it is no valid answer';
}
