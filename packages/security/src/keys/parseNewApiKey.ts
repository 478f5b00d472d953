import {
  isJsonObject,
  parseAddressRanges,
  securityErrors,
  showValue,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import type { Policy } from '../rights/Policy.js';
import { parsePolicies } from '../rights/parsePolicies.js';

const KEYS = ['name', 'policies', 'expiresAt', 'allowedAddresses'];
const MAX_NAME_LENGTH = 256;
const MAX_POLICIES = 100;
const MAX_ADDRESSES = 100;

/** The body of a creation. */
export interface NewApiKey {
  readonly name: string;
  readonly policies: readonly Policy[] | null;
  /** UTC milliseconds; null: never; undefined: the default life. */
  readonly expiresAtMs: number | null | undefined;
  readonly allowedAddresses: readonly string[] | null;
}

/** @throws security.invalid_api_key, security.invalid_profile for `policies` (400) */
export function parseNewApiKey(body: JsonObject): NewApiKey {
  const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw refuse(`${unknown.slice(0, 100)} is unknown: expected ${KEYS.join(', ')}`);
  }
  const { name, policies = null, expiresAt, allowedAddresses = null } = body;
  return {
    name: readName(name),
    policies: policies === null ? null : readPolicies(policies),
    expiresAtMs: expiresAt === undefined || expiresAt === null ? expiresAt : readTime(expiresAt),
    allowedAddresses: allowedAddresses === null ? null : readAddresses(allowedAddresses),
  };
}

function readName(value: JsonValue | undefined): string {
  const isName = typeof value === 'string' && value.trim() !== '';
  if (isName && value.length <= MAX_NAME_LENGTH) return value;
  throw refuse(`name: expected a string of 1 to ${MAX_NAME_LENGTH} characters, got ${showValue(value)}`);
}

function readPolicies(value: JsonValue): readonly Policy[] {
  if (Array.isArray(value) && value.length > MAX_POLICIES) {
    throw refuse(`policies: expected at most ${MAX_POLICIES}, got ${value.length}`);
  }
  return parsePolicies({ policies: value });
}

function readTime(value: JsonValue): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw refuse(`expiresAt: expected a time in UTC milliseconds, or null for never, got ${showValue(value)}`);
}

function readAddresses(value: JsonValue): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  const isInBounds = list.length > 0 && list.length <= MAX_ADDRESSES;
  const isRange = (each: JsonValue): each is string =>
    typeof each === 'string' && !each.includes(',') && parseAddressRanges(each)?.length === 1;
  if (isInBounds && list.every(isRange)) return list;
  const bad = isInBounds ? list.find((each) => !isRange(each)) : value;
  throw refuse(
    `allowedAddresses: expected a list of 1 to ${MAX_ADDRESSES} addresses or CIDR ranges such as "10.0.0.0/8", got ${showValue(isJsonObject(bad) ? 'an object' : bad)}`,
  );
}

function refuse(reason: string): Error {
  return securityErrors.invalid_api_key({ reason });
}
