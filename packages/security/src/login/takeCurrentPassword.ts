import { apiErrors, type JsonObject } from '@millrace/kernel';

/** The property that confirms a change of credentials. */
const PROPERTY = 'currentPassword';

/** A body, and the current password that came in it. */
export interface ConfirmedBody {
  readonly body: JsonObject;
  /** Secret. */
  readonly currentPassword: string | undefined;
}

/**
 * Takes `currentPassword` out of a body. It counts in the body alone: in an address it would end up in logs of proxies.
 * @throws api.invalid_argument (400), without the value
 */
export function takeCurrentPassword(body: JsonObject): ConfirmedBody {
  if (!Object.hasOwn(body, PROPERTY)) return { body, currentPassword: undefined };
  const value = body[PROPERTY];
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => key !== PROPERTY));
  if (typeof value === 'string') return { body: rest, currentPassword: value };
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
  throw apiErrors.invalid_argument({ name: PROPERTY, value: kind, expected: 'a string' });
}
