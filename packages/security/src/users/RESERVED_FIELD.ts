/**
 * Holds the parts of a user that can't be searched, sorted or returned: an object that engines store but don't index.
 * No free property can have this name.
 */
export const RESERVED_FIELD = 'millrace-account';

/** True if a property of this name would write into the reserved field. */
export function isReservedField(name: string): boolean {
  return name === RESERVED_FIELD || name.startsWith(`${RESERVED_FIELD}.`);
}
