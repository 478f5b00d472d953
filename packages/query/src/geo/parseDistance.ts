import { type JsonValue, metresPerUnit } from '@millrace/language';

/** Parses metres (a number or numeric string) or a length with a unit; undefined if it is neither or negative. */
export function parseDistance(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const match = /^\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*([A-Za-z]*)\s*$/.exec(value);
  const factor = metresPerUnit(match?.[2] === '' ? 'm' : (match?.[2] ?? '?'));
  if (match === null || factor === undefined) return undefined;
  const metres = Number(match[1]) * factor;
  return Number.isFinite(metres) ? metres : undefined;
}
