/**
 * A function that writes numbers by a pattern of Java's `DecimalFormat`: literal text around one number of `0`, `#`, `,`
 * and `.`, with `%` for percent. Half-way values go to the even neighbour. Undefined for a pattern beyond that.
 */
export function decimalFormat(pattern: string): ((value: number) => string) | undefined {
  const match =
    /^([^0#,.;%'\u00A4\u2030E]*)([#,]*[0,]*)(?:\.(0*#*))?(%?)([^0#,.;%'\u00A4\u2030E]*)$/.exec(
      pattern,
    );
  if (match === null) return undefined;
  const [, prefix = '', whole = '', fraction = '', percent = '', suffix = ''] = match;
  const groupSize = whole.includes(',') ? whole.length - whole.lastIndexOf(',') - 1 : 0;
  const minWhole = whole.replace(/[^0]/g, '').length;
  const minFraction = fraction.replace(/[^0]/g, '').length;
  return (value) => {
    if (!Number.isFinite(value)) return String(value);
    const scaled = Math.abs(percent === '' ? value : value * 100);
    const [digits = '', decimals = ''] = toEvenFixed(scaled, Math.min(fraction.length, 20)).split(
      '.',
    );
    const kept = trimZeros(decimals, minFraction);
    const padded = (digits === '0' && minWhole === 0 && kept !== '' ? '' : digits).padStart(
      minWhole,
      '0',
    );
    const grouped = groupSize > 0 ? group(padded, groupSize) : padded;
    const number = kept === '' ? grouped : `${grouped}.${kept}`;
    // Java keeps the sign of what is rounded to nothing.
    const isNegative = value < 0 || Object.is(value, -0);
    return `${isNegative ? '-' : ''}${prefix}${number}${percent}${suffix}`;
  };
}

/** Java starts from the shortest digits that tell the number from others: zeros follow them, whatever the bits are. */
function toEvenFixed(value: number, decimals: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const missing = decimals - Math.max(0, digits.length - 1 - Number(exponent));
  if (missing >= 0) return plainDigits(digits, Number(exponent), decimals);
  const rounded = value.toFixed(decimals);
  // `toFixed` is exact, and rounds what is half-way up.
  const isHalfWay = missing === -1 && /^50*$/.test(value.toFixed(decimals + 60).slice(-60));
  if (!isHalfWay || !/[13579]$/.test(rounded)) return rounded;
  return (value - 0.5 / 10 ** decimals).toFixed(decimals);
}

/** `digits` with the point after the first of them moved by `exponent`, and so many decimals. */
function plainDigits(digits: string, exponent: number, decimals: number): string {
  const padded = exponent < 0 ? '0'.repeat(-exponent) + digits : digits.padEnd(exponent + 1, '0');
  const point = Math.max(exponent, 0) + 1;
  const after = padded.slice(point).padEnd(decimals, '0');
  return decimals === 0 ? padded.slice(0, point) : `${padded.slice(0, point)}.${after}`;
}

function trimZeros(decimals: string, keep: number): string {
  let end = decimals.length;
  while (end > keep && decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
}

function group(digits: string, size: number): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size)
    groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(',');
}
