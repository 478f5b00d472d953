/** Last part of the error id that the service answers: `query.<kind>`. */
export type QueryErrorKind = 'invalid' | 'forbidden' | 'window_too_large';

/** A name that is not known, and those that are. */
export interface UnknownName {
  readonly name: string;
  readonly known: Iterable<string>;
}

/**
 * A search that is refused. The service answers it as `query.<kind>`, status 400. The message names the construct and
 * its path; it never holds names of the storage engine.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError';

  constructor(
    readonly kind: QueryErrorKind,
    /** Where in the request: `query.bool.must[0].range`. */
    readonly path: string,
    message: string,
    /** The names that are known where the refused one stands, for a suggestion. */
    readonly unknown?: UnknownName,
  ) {
    super(message);
  }
}

/** A mapping that is refused (status 400); `path` such as `properties.title.analyzer`. */
export class MappingError extends Error {
  override readonly name = 'MappingError';

  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** A document whose content does not fit its mapping (status 400 for that write); `path` such as `author.age`. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';

  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** Shorthand for the common kind. */
export function invalid(path: string, message: string, unknown?: UnknownName): QueryError {
  return new QueryError('invalid', path, message, unknown);
}

/** Section 8. */
export function forbidden(path: string, message: string): QueryError {
  return new QueryError('forbidden', path, message);
}
