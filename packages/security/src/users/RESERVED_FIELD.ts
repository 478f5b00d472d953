/**
 * Where the parts of a user lie that nothing may search, sort or show: an object that engines keep and don't index. No
 * free property can have this name.
 */
export const RESERVED_FIELD = 'millrace-account';

/** True where a property of this name would reach into the reserved field. */
export function isReservedField(name: string): boolean {
  return name === RESERVED_FIELD || name.startsWith(`${RESERVED_FIELD}.`);
}
