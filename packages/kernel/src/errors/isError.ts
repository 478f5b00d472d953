import { MillraceError } from './MillraceError.js';

/** True for the registered error with this id. */
export function isError(error: unknown, factory: { readonly id: string }): error is MillraceError {
  return error instanceof MillraceError && error.id === factory.id;
}
