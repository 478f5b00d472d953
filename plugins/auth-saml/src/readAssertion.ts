/*
 * Reads a signed assertion from the bytes that its signature covers (node-saml returns them as a tree of xml2js:
 * attributes under `$`, text under `_`, all children as lists). node-saml has checked signatures, the times of the
 * conditions and the audience; this file checks the remaining rules of SAML's browser profile (saml-profiles-2.0-os
 * 4.1.4.2 and 4.1.4.3): the issuer, a bearer confirmation for this URL and this request, and its expiry.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** The values that an assertion must match. */
export interface AssertionRules {
  readonly idpIssuer: string;
  readonly recipient: string;
  /** The id of the answered request. */
  readonly inResponseTo: string;
  readonly nowMs: number;
  readonly clockSkewMs: number;
}

/** A subject and its attributes. */
export interface ReadAssertion {
  readonly id: string;
  readonly nameId: string | null;
  readonly nameIdFormat: string | null;
  /** By name; a single value as a string, several as a list. */
  readonly attributes: JsonObject;
  /** Expiry of its confirmation, after which it is refused everywhere. */
  readonly endsAtMs: number;
}

/** An assertion that violates a rule; the message names the rule and contains no part of the assertion. */
export class AssertionProblem extends Error {}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** @throws AssertionProblem */
export function readAssertion(tree: unknown, rules: AssertionRules): ReadAssertion {
  const assertion = isJsonObject(tree) ? tree['Assertion'] : undefined;
  if (!isJsonObject(assertion)) throw new AssertionProblem('there is no assertion');
  const id = attributeOf(assertion, 'ID');
  if (id === null) throw new AssertionProblem('the assertion has no ID');
  if (textOf(onlyChild(assertion, 'Issuer')) !== rules.idpIssuer) {
    throw new AssertionProblem('another issuer');
  }
  if (onlyChild(assertion, 'Conditions') === null) throw new AssertionProblem('no conditions');
  assertSessionLasts(assertion, rules);
  const subject = onlyChild(assertion, 'Subject');
  if (subject === null) throw new AssertionProblem('no subject');
  const nameId = onlyChild(subject, 'NameID');
  return {
    id,
    nameId: textOf(nameId),
    nameIdFormat: nameId === null ? null : attributeOf(nameId, 'Format'),
    attributes: attributesOf(assertion),
    endsAtMs: confirmationEnd(subject, rules),
  };
}

/** The latest expiry among the valid confirmations. */
function confirmationEnd(subject: JsonObject, rules: AssertionRules): number {
  const confirmations = childrenOf(subject, 'SubjectConfirmation');
  const problems: string[] = [];
  const ends = confirmations.flatMap((confirmation) => {
    const end = endOf(confirmation, rules);
    if (typeof end === 'number') return [end];
    problems.push(end);
    return [];
  });
  if (ends.length > 0) return Math.max(...ends);
  throw new AssertionProblem(problems[0] ?? 'no confirmation of the subject');
}

/** @returns its expiry, or the problem if it is invalid */
function endOf(confirmation: JsonObject, rules: AssertionRules): number | string {
  if (attributeOf(confirmation, 'Method') !== BEARER) return 'no confirmation for bearers';
  const data = onlyChild(confirmation, 'SubjectConfirmationData');
  if (data === null) return 'a confirmation without data';
  if (attributeOf(data, 'Recipient') !== rules.recipient) return 'it was made for another recipient';
  if (attributeOf(data, 'InResponseTo') !== rules.inResponseTo) return 'it answers another request';
  const endsAtMs = Date.parse(attributeOf(data, 'NotOnOrAfter') ?? '');
  if (Number.isNaN(endsAtMs)) return 'a confirmation that never expires';
  if (endsAtMs + rules.clockSkewMs <= rules.nowMs) return 'it has expired';
  // A bearer confirmation must not have NotBefore (4.1.4.2).
  const beginning = attributeOf(data, 'NotBefore');
  if (beginning !== null && !(Date.parse(beginning) - rules.clockSkewMs <= rules.nowMs)) {
    return 'it is not valid yet';
  }
  return endsAtMs;
}

function assertSessionLasts(assertion: JsonObject, { nowMs, clockSkewMs }: AssertionRules): void {
  const statements = childrenOf(assertion, 'AuthnStatement');
  if (statements.length === 0) throw new AssertionProblem('it says nothing of a login');
  for (const statement of statements) {
    const end = attributeOf(statement, 'SessionNotOnOrAfter');
    if (end !== null && !(Date.parse(end) + clockSkewMs > nowMs)) {
      throw new AssertionProblem('the session at the identity provider has ended');
    }
  }
}

function attributesOf(assertion: JsonObject): JsonObject {
  const found = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, 'Attribute')) {
      const name = attributeOf(attribute, 'Name');
      const values = childrenOf(attribute, 'AttributeValue', true).flatMap((value) => {
        const text = textOf(value);
        return text === null ? [] : [text];
      });
      if (name !== null) found.set(name, [...(found.get(name) ?? []), ...values]);
    }
  }
  const attributes = [...found].flatMap(([name, values]): [string, JsonValue][] => {
    const [first] = values;
    return first === undefined ? [] : [[name, values.length === 1 ? first : values]];
  });
  // fromEntries defines keys, so that `__proto__` stays data.
  return Object.fromEntries(attributes);
}

/**
 * @param textsToo also returns elements that xml2js represents as plain strings, having neither attributes nor
 *   children
 */
function childrenOf(element: JsonObject, name: string, textsToo = false): readonly JsonObject[] {
  const children = Object.hasOwn(element, name) ? element[name] : undefined;
  if (!Array.isArray(children)) return [];
  return (children as readonly unknown[]).flatMap((child): JsonObject[] => {
    if (isJsonObject(child)) return [child];
    return textsToo && typeof child === 'string' ? [{ _: child }] : [];
  });
}

function onlyChild(element: JsonObject, name: string): JsonObject | null {
  const [first, ...others] = childrenOf(element, name, true);
  if (others.length > 0) throw new AssertionProblem(`more than one ${name}`);
  return first ?? null;
}

function textOf(element: JsonObject | null): string | null {
  const text = element !== null && Object.hasOwn(element, '_') ? element['_'] : undefined;
  return typeof text === 'string' && text !== '' ? text : null;
}

function attributeOf(element: JsonObject, name: string): string | null {
  const attributes = Object.hasOwn(element, '$') ? element['$'] : undefined;
  if (!isJsonObject(attributes) || !Object.hasOwn(attributes, name)) return null;
  const value = attributes[name];
  return typeof value === 'string' ? value : null;
}
