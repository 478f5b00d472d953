import type { JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { show } from '../show.js';

/** Milliseconds per unit of a duration, by its name in requests. */
export const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const MAX_SCROLL_MS = 86_400_000;

/**
 * Parses the duration of a scroll, `<int><unit>` with unit `d h m s ms` (SEARCH-81).
 * @returns milliseconds, more than 0 and at most 24 hours
 * @throws QueryError
 */
export function parseScrollSpan(text: string): number {
  const ms = /^\d{1,12}(ms|s|m|h|d)$/.test(text) ? toMs(text) : Number.NaN;
  if (ms > 0 && ms <= MAX_SCROLL_MS) return ms;
  throw invalid(
    'scroll',
    `scroll must be a span such as "30s" or "1m", more than 0 and at most 24h, not ${show(text)}`,
  );
}

/** `timeout`: a whole number and a unit; 0 and -1, with or without a unit, mean no limit, as in Elasticsearch. */
export function parseTimeout(value: JsonValue): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (text === '-1' || text === '0') return undefined;
  if (typeof text === 'string' && /^\d{1,12}(ms|s|m|h|d)$/.test(text)) return toMs(text) || undefined;
  throw invalid('timeout', `timeout must be a span such as "10s", not ${show(value)}`);
}

function toMs(text: string): number {
  const unit = /[a-z]+$/.exec(text)?.[0] ?? '';
  return Number(text.slice(0, -unit.length)) * (MS_PER_UNIT[unit] ?? Number.NaN);
}
