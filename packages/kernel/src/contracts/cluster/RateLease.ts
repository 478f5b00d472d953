import type { RateLimit } from '../security/RateLimits.js';

/** A request for units of a bucket that all nodes share. */
export interface LeaseRequest {
  readonly key: string;
  readonly limit: RateLimit;
  /** Units that are used at once: granted as a whole if the bucket isn't empty. */
  readonly needed: number;
  /** Units wanted in addition, for later requests: granted as far as they are there. */
  readonly spare: number;
}

/** Units that a node may use. */
export interface RateLease {
  /** 0: the bucket is empty. */
  readonly granted: number;
  /** Milliseconds until a unit is there; 0 if some were granted. */
  readonly waitMs: number;
  /** Units left in the shared bucket. */
  readonly remaining: number;
  /** Milliseconds until the shared bucket is full. */
  readonly resetMs: number;
}
