import { integerBetween, positiveInteger, type ConfigSchema, type RateLimit } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';

/** The values of section `limits`, as validated by `limitsConfig`; a rate of 0 is no limit. */
export interface LimitsConfig {
  readonly anonymous: RateLimit;
  readonly user: RateLimit;
}

/** The values of the current server. */
export const LIMITS_CONFIG: InjectionToken<LimitsConfig> = Symbol('LimitsConfig');

/** Greatest rate and burst of a limit. */
export const MAX_RATE = 1_000_000;

/** Default of `limits.anonymous.perSecond` in production. */
export const PRODUCTION_ANONYMOUS_RATE = 50;

/** Configuration keys of section `limits`. */
export const limitsConfig = {
  anonymous: limitOf({
    caller: 'an address without a token',
    none: `0: no limit, the default but where NODE_ENV is "production" (${PRODUCTION_ANONYMOUS_RATE})`,
    profile: 'anonymous callers',
    burst: 200,
  }),
  user: limitOf({
    caller: 'a user, and of each API key',
    none: '0: no limit',
    profile: 'the user',
    burst: 500,
  }),
} satisfies ConfigSchema;

interface LimitText {
  readonly caller: string;
  readonly none: string;
  readonly profile: string;
  readonly burst: number;
}

function limitOf({ caller, none, profile, burst }: LimitText) {
  return {
    perSecond: {
      doc: `Requests per second of ${caller}; ${none}. A rateLimit in a profile of ${profile} replaces it`,
      format: integerBetween(0, MAX_RATE),
      default: 0,
    },
    burst: {
      doc: `How many requests of ${caller} may come at once`,
      format: positiveInteger,
      default: burst,
    },
  };
}
