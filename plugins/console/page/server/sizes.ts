/** A number of bytes with its unit. */
export function toBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** step).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[step]}`;
}

/** A time in its two largest units. */
export function toSpan(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const at = units.findIndex(([size]) => seconds >= size);
  const [first, second] = at < 0 ? [units[3], undefined] : [units[at], units[at + 1]];
  const [size, name] = first ?? units[3];
  const rest = second === undefined ? 0 : Math.floor((seconds % size) / second[0]);
  return `${Math.floor(seconds / size)} ${name}${second === undefined || rest === 0 ? '' : ` ${rest} ${second[1]}`}`;
}
