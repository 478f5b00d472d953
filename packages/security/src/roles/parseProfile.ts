import {
  isJsonObject,
  securityErrors,
  showValue,
  type JsonObject,
  type JsonValue,
  type RateLimit,
} from '@millrace/kernel';
import { MAX_RATE } from '../limits/limitsConfig.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import type { Profile } from './Profile.js';

const KEYS = ['perSecond', 'burst'];
/** A profile without `burst` allows the requests of this many seconds at once. */
const DEFAULT_BURST_SECONDS = 10;

/** Parses the body of a profile. @throws security.invalid_profile (400) naming the path */
export function parseProfile(body: JsonObject): Profile {
  return { policies: parsePolicies(body), rateLimit: parseRateLimit(body['rateLimit']) };
}

/** As `parseProfile`; a change without a rate limit leaves it. */
export function mergeProfile(profile: Profile, change: JsonObject): Profile {
  const changed = parseProfile(change);
  return Object.hasOwn(change, 'rateLimit') ? changed : { ...changed, rateLimit: profile.rateLimit };
}

/** A profile as stored and returned. */
export function toProfileBody({ policies, rateLimit }: Profile): JsonObject {
  return {
    policies: toPolicyBodies(policies),
    ...(rateLimit !== null && { rateLimit: { ...rateLimit } }),
  };
}

/** Policies as stored and returned: with the role under both its names (SEC-20). */
export function toPolicyBodies(policies: readonly Policy[]): readonly JsonObject[] {
  return policies.map((policy) => ({ ...toRole(policy), roleId: policy.roleId }));
}

/** A policy by the name `_id` of its role alone. */
export function toRole({ roleId, restrictedTo }: Policy): JsonObject {
  return {
    _id: roleId,
    ...(restrictedTo !== null && { restrictedTo: restrictedTo.map((each) => ({ ...each })) }),
  };
}

function parseRateLimit(value: JsonValue | undefined): RateLimit | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) {
    throw refuse(`rateLimit: expected {perSecond, burst?} or null, got ${showValue(value)}`);
  }
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw refuse(`rateLimit.${unknown.slice(0, 100)} is unknown: expected ${KEYS.join(', ')}`);
  }
  const { perSecond, burst } = value;
  if (typeof perSecond !== 'number' || !(perSecond >= 0 && perSecond <= MAX_RATE)) {
    throw refuse(
      `rateLimit.perSecond: expected a number from 0 (no limit) to ${MAX_RATE}, got ${showValue(perSecond)}`,
    );
  }
  const given = burst ?? Math.max(1, Math.ceil(perSecond * DEFAULT_BURST_SECONDS));
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 1) {
    throw refuse(`rateLimit.burst: expected an integer of at least 1, got ${showValue(burst)}`);
  }
  return { perSecond, burst: given };
}

function refuse(reason: string): Error {
  return securityErrors.invalid_profile({ reason });
}
