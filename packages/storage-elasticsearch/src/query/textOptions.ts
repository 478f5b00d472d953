import type { Fuzziness, MinimumShouldMatch } from '@millrace/query';

/** Elasticsearch's notation of a fuzziness: `AUTO:3,6`, `1`. */
export function fuzzinessText(fuzziness: Fuzziness): string {
  if (fuzziness.kind === 'edits') return String(fuzziness.edits);
  return `AUTO:${fuzziness.low},${fuzziness.high}`;
}

/** Elasticsearch's notation of a minimum: `2<-25% 9<-3`. */
export function minimumText(minimum: MinimumShouldMatch): string {
  return minimum
    .map(({ above, amount, isPercent }) => {
      const text = `${amount}${isPercent ? '%' : ''}`;
      return above < 0 ? text : `${above}<${text}`;
    })
    .join(' ');
}
