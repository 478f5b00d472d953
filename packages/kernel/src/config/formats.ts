/*
 * Formats of configuration values that several packages declare. Each throws an error that describes the expected
 * value; the loader prepends key and source.
 */

/** Format of an integer between two limits, both inclusive. */
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

/** Format of a string with at least one character that isn't white space. */
export function nonEmptyText(value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '') throw new Error('must be a non-empty string');
}

/** Format of an absolute web URL without query and fragment. */
export function webAddress(value: unknown): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isWeb || url.search !== '' || url.hash !== '') {
    throw new Error('must be an absolute http or https address without query and fragment');
  }
}
