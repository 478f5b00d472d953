const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
};

/**
 * Parses a number of bytes: `1048576`, `"1048576"`, `"512kb"`, `"1mb"` (units of 1,024, any case).
 * @returns undefined for anything else, and below 1
 */
export function parseByteSize(value: unknown): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15}) ?([kmg]?b)?$/i.exec(String(value)) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
}
