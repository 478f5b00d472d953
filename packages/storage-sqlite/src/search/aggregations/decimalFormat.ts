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
  if (whole + fraction === '') return undefined;
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
    const isNegative = value < 0 && /[1-9]/.test(number);
    return `${isNegative ? '-' : ''}${prefix}${number}${percent}${suffix}`;
  };
}

function toEvenFixed(value: number, decimals: number): string {
  const factor = 10 ** decimals;
  const scaled = value * factor;
  const floor = Math.floor(scaled);
  if (scaled - floor === 0.5 && scaled < 2 ** 52) {
    return ((floor % 2 === 0 ? floor : floor + 1) / factor).toFixed(decimals);
  }
  return value >= 1e21 ? BigInt(value).toString() : value.toFixed(decimals);
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
