/** Last part of the error id that the service answers: `realtime.<code>`. */
export type FilterErrorCode = 'invalid_filter' | 'filter_too_complex';

/** A filter that is refused (status 400) (FILTER-50, FILTER-51). */
export class FilterError extends Error {
  override readonly name = 'FilterError';

  constructor(
    readonly code: FilterErrorCode,
    /** Where in the filter: `and[1].not`; empty for the root and for limits of the whole filter. */
    readonly path: string,
    message: string,
    /** The operator that is not known, and those that are, for a suggestion. */
    readonly unknown?: { readonly name: string; readonly known: Iterable<string> },
  ) {
    super(message);
  }
}

/** A filter above a limit of FILTER-50. @param what such as `more than 512 conditions` */
export function tooComplex(what: string, path = ''): FilterError {
  return new FilterError('filter_too_complex', path, `Subscription filter too complex: ${what}`);
}
