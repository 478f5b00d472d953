/*
 * Formats of configuration values that several packages declare. Each throws an error that says what is expected; the
 * loader puts key and source before it.
 */

/** Format of an integer within limits, both included. */
export function integerBetween(minimum: number, maximum: number): (value: unknown) => void {
  return (value) => {
    const isInteger = typeof value === 'number' && Number.isInteger(value);
    if (!isInteger || value < minimum || value > maximum) {
      throw new Error(`must be an integer from ${minimum} to ${maximum}`);
    }
  };
}

/** Format of an integer of at least 1. */
export function positiveInteger(value: unknown): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new Error('must be an integer of at least 1');
  }
}

/** Format of a text with more than white space in it. */
export function nonEmptyText(value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '')
    throw new Error('must be a non-empty string');
}

/** Format of an absolute address of the web, without query and fragment. */
export function webAddress(value: unknown): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isWeb || url.search !== '' || url.hash !== '') {
    throw new Error('must be an absolute http or https address without query and fragment');
  }
}
