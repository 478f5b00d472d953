/** Last part of the error id that the service returns: `query.<kind>`. */
export type QueryErrorKind = 'invalid' | 'forbidden' | 'window_too_large';

/** An unknown name, and the known ones. */
export interface UnknownName {
  readonly name: string;
  readonly known: Iterable<string>;
}

/**
 * A refused search. The service returns it as `query.<kind>`, status 400. The message names the construct and its path;
 * it never contains names of the storage engine.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError';

  constructor(
    readonly kind: QueryErrorKind,
    /** Position in the request: `query.bool.must[0].range`. */
    readonly path: string,
    message: string,
    /** The known names at the position of the refused one, for a suggestion. */
    readonly unknown?: UnknownName,
  ) {
    super(message);
  }
}

/** A refused mapping (status 400); `path` such as `properties.title.analyzer`. */
export class MappingError extends Error {
  override readonly name = 'MappingError';

  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** A document whose content doesn't fit its mapping (status 400 for that write); `path` such as `author.age`. */
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

/** An error for constructs refused for security (SEARCH-70 to SEARCH-72). */
export function forbidden(path: string, message: string): QueryError {
  return new QueryError('forbidden', path, message);
}
