import { didYouMean, documentErrors, queryErrors, storageErrors, isError } from '@millrace/kernel';
import { DocumentError, MappingError, QueryError } from '@millrace/query';

/** The registered error for a refusal by the query library; any other error is returned unchanged. */
export function toRegisteredError(error: unknown): unknown {
  if (error instanceof QueryError) {
    const { unknown } = error;
    const hint = unknown === undefined ? '' : didYouMean(unknown.name, unknown.known);
    return queryErrors[error.kind]({ reason: error.message + hint }, { cause: error });
  }
  if (error instanceof MappingError) {
    return storageErrors.invalid_mapping({ reason: error.message }, { cause: error });
  }
  if (error instanceof DocumentError) {
    return documentErrors.invalid_value({ reason: error.message }, { cause: error });
  }
  return error;
}

/** Runs a parser of the query library. @throws query.*, storage.invalid_mapping (400) for invalid input */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw toRegisteredError(error);
  }
}

/** Calls the engine, or `whenAbsent` if the collection is absent but its index exists. */
export async function orWhenAbsent<T>(ask: () => Promise<T>, whenAbsent: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isAbsent = isError(error, storageErrors.collection_not_found);
    if (isAbsent) return whenAbsent();
    throw toRegisteredError(error);
  }
}
