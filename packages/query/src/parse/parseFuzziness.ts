import type { JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { show } from '../show.js';

/** Permitted edits: a fixed number, or by length: 0 below `low` characters, 1 below `high`, else 2 (`AUTO` = 3,6). */
export type Fuzziness =
  | { readonly kind: 'edits'; readonly edits: 0 | 1 | 2 }
  | { readonly kind: 'auto'; readonly low: number; readonly high: number };

export const AUTO_FUZZINESS: Fuzziness = { kind: 'auto', low: 3, high: 6 };

/** Parses 0, 1, 2, `AUTO` or `AUTO:low,high` (SEARCH-23). */
export function parseFuzziness(value: JsonValue, path: string): Fuzziness {
  if (typeof value === 'number' || typeof value === 'string') {
    const text = String(value).toLowerCase();
    if (text === 'auto') return AUTO_FUZZINESS;
    if (/^[012](\.0)?$/.test(text)) return { kind: 'edits', edits: Number(text) as 0 | 1 | 2 };
    const [, low, high] = /^auto:(\d{1,6}),(\d{1,6})$/.exec(text) ?? [];
    if (low !== undefined && high !== undefined && Number(low) <= Number(high)) {
      return { kind: 'auto', low: Number(low), high: Number(high) };
    }
  }
  throw invalid(path, `fuzziness at ${path} must be 0, 1, 2, AUTO or AUTO:low,high, not ${show(value)}`);
}

/** Permitted edits for a term of `length` code points. */
export function fuzzyEdits(fuzziness: Fuzziness, length: number): 0 | 1 | 2 {
  if (fuzziness.kind === 'edits') return fuzziness.edits;
  if (length < fuzziness.low) return 0;
  return length < fuzziness.high ? 1 : 2;
}
