import type { RateLimit } from '@millrace/kernel';
import type { Policy } from '../rights/Policy.js';

/** What a profile grants. */
export interface Profile {
  readonly policies: readonly Policy[];
  /** Of each user with the profile; null: the profile says nothing about it. A rate of 0 is no limit. */
  readonly rateLimit: RateLimit | null;
}
