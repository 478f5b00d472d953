/* Requests of several items, some of which fail. */
import { documentErrors, MillraceError, type JsonObject, type JsonText } from '@millrace/kernel';

/** How an item that failed is listed. @param naming what identifies it: `{_id}` */
export function failureOf(naming: JsonObject, { status, message }: MillraceError): JsonObject {
  return { ...naming, status, reason: message };
}

/**
 * The result of the request.
 * @param total the number of its items
 * @param failed the number of those that failed, of which `details` may be the first
 * @throws document.partial_failure (206) if any failed
 */
export function complete<T extends JsonObject | JsonText>(
  result: T,
  details: readonly JsonObject[],
  total: number,
  failed = details.length,
): T {
  if (failed === 0) return result;
  throw documentErrors.partial_failure({ failed, total }, { result, details });
}

/** What `make` gives, or the registered error that it throws. */
export function orError<T>(make: () => T): T | MillraceError {
  try {
    return make();
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
}
