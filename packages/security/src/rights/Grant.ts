import type { Restriction } from './Policy.js';
import type { Role } from './Role.js';

/** A policy with its role. */
export interface Grant {
  readonly role: Role;
  readonly restrictedTo: readonly Restriction[] | null;
}
