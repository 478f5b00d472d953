import { apiErrors, type JsonObject } from '@millrace/kernel';

/** The property that confirms a change of credentials. */
const PROPERTY = 'currentPassword';

/** A body, and the current password it contained. */
export interface ConfirmedBody {
  readonly body: JsonObject;
  /** Secret. */
  readonly currentPassword: string | undefined;
}

/**
 * Removes `currentPassword` from a body. Only the body may carry it: in a URL it would end up in proxy logs.
 * @throws api.invalid_argument (400), without the value
 */
export function takeCurrentPassword(body: JsonObject): ConfirmedBody {
  if (!Object.hasOwn(body, PROPERTY)) return { body, currentPassword: undefined };
  const value = body[PROPERTY];
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => key !== PROPERTY));
  if (typeof value === 'string') return { body: rest, currentPassword: value };
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
  throw apiErrors.invalid_argument({ name: PROPERTY, value: kind, expected: 'a string' });
}
