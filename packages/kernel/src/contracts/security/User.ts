import type { JsonValue } from '../../json/Json.js';

/** The user of a request. */
export interface User {
  readonly _id: string;
  readonly profileIds: readonly string[];
  /** Identifies the account: a later user with the same `_id` has another one. Absent: not a stored user. */
  readonly suid?: string;
  /** Free properties. */
  readonly [property: string]: JsonValue | undefined;
}

/** The user of requests without a token (SEC-40). */
export const ANONYMOUS: User = Object.freeze({
  _id: '-1',
  profileIds: Object.freeze(['anonymous']),
});
