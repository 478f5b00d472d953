/** Last part of the error id that the service returns: `realtime.<code>`. */
export type FilterErrorCode = 'invalid_filter' | 'filter_too_complex';

/** A refused filter (status 400) (FILTER-50, FILTER-51). */
export class FilterError extends Error {
  override readonly name = 'FilterError';

  constructor(
    readonly code: FilterErrorCode,
    /** Position in the filter: `and[1].not`; empty for the root and for limits of the whole filter. */
    readonly path: string,
    message: string,
    /** The unknown operator and the known ones, for a suggestion. */
    readonly unknown?: { readonly name: string; readonly known: Iterable<string> },
  ) {
    super(message);
  }
}

/** A filter that exceeds a limit of FILTER-50. @param what such as `more than 512 conditions` */
export function tooComplex(what: string, path = ''): FilterError {
  return new FilterError('filter_too_complex', path, `Subscription filter too complex: ${what}`);
}
