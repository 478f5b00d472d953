import { metresPerUnit } from '@millrace/language';

const MAX_TEXT_LENGTH = 128;
const SHAPE = /^(\d+\.?\d*|\.\d+)([a-z]*)$/;

/** Units that differ from those of searches: FILTER-22 keeps a rounded mile, and `nm` is ambiguous. */
const DIFFERENT: ReadonlyMap<string, number | undefined> = new Map([
  ['mi', 1_609.34],
  ['mile', 1_609.34],
  ['miles', 1_609.34],
  ['nm', undefined],
]);

/**
 * Parses a distance string such as `1 093,61 yd` (FILTER-22).
 * @returns metres, rounded to 10⁻⁶; undefined if it is not a distance
 */
export function parseDistance(text: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const found = SHAPE.exec(text) ?? SHAPE.exec(text.replace(/\s+/g, '').replaceAll(',', '.').toLowerCase());
  const [, number, name] = found ?? [];
  if (number === undefined || name === undefined) return undefined;
  const unit = name === '' ? 'm' : name;
  const metres = DIFFERENT.has(unit) ? DIFFERENT.get(unit) : metresPerUnit(unit);
  if (metres === undefined) return undefined;
  const exact = Number(number) * metres;
  const rounded = Math.round(exact * 1e6) / 1e6;
  return Number.isFinite(rounded) ? rounded : undefined;
}
