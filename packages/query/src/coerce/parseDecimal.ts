/** Literal text around one number of `0`, `#`, `,` and `.`, with `%` for percent. */
const PATTERN = /^([^0#,.;%'\u00A4\u2030E]*)([#,]*[0,]*)(?:\.0*#*)?(%?)([^0#,.;%'\u00A4\u2030E]*)$/;

/**
 * Reads a number by a pattern of Java's `DecimalFormat`: what the pattern has around the number has to be there, and
 * what follows the number then does not matter (`5x` is 5, and so is `5e3`, as an exponent is written `E3`).
 * @returns NaN where the text does not begin with such a number, undefined where the pattern is beyond those
 */
export function parseDecimal(pattern: string, text: string): number | undefined {
  const parts = PATTERN.exec(pattern);
  if (parts === null) return undefined;
  const [, prefix = '', whole = '', percent = '', suffix = ''] = parts;
  const sign = text.startsWith(`-${prefix}`) ? -1 : 1;
  const start = prefix.length + (sign < 0 ? 1 : 0);
  if (sign > 0 && !text.startsWith(prefix)) return NaN;
  const digits = whole.includes(',') ? '[\\d,]*' : '\\d*';
  const number = new RegExp(`(${digits}\\.?\\d*)(E-?\\d{1,9})?`, 'y');
  number.lastIndex = start;
  const [found = '', mantissa = '', exponent = ''] = number.exec(text) ?? [];
  if (!/\d/.test(mantissa) || !text.startsWith(percent + suffix, start + found.length)) return NaN;
  const value = Number(mantissa.replaceAll(',', '') + exponent);
  return sign * (percent === '' ? value : value / 100);
}
