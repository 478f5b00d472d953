/**
 * Compiles a number pattern such as `#,##0.00 EUR` or `0.0%`: literal text around one number of `0`, `#`, `,` and `.`,
 * with `%` for percent. Undefined for other patterns.
 */
export function decimalFormat(pattern: string): ((value: number) => string) | undefined {
  const match = /^([^0#,.%]*)([#,]*[0,]*)(?:\.(0{0,20})(#{0,20}))?(%?)([^0#,.%]*)$/.exec(pattern);
  if (match === null) return undefined;
  const [, prefix = '', whole = '', required = '', optional = '', percent = '', suffix = ''] = match;
  const numbers = new Intl.NumberFormat('en-US', {
    style: percent === '' ? 'decimal' : 'percent',
    useGrouping: whole.includes(','),
    minimumIntegerDigits: Math.min(Math.max(whole.replace(/[^0]/g, '').length, 1), 21),
    minimumFractionDigits: required.length,
    maximumFractionDigits: Math.min(required.length + optional.length, 20),
  });
  return (value) => {
    if (!Number.isFinite(value)) return String(value);
    return `${value < 0 ? '-' : ''}${prefix}${numbers.format(Math.abs(value))}${suffix}`;
  };
}
