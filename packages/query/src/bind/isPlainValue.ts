import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { MatchBoolPrefixQuery, MatchPhraseQuery, MatchQuery } from '../tree/Query.js';

type ValueQuery = Pick<MatchQuery | MatchBoolPrefixQuery | MatchPhraseQuery, 'analyzer' | 'lenient'> & {
  readonly kind: string;
  readonly fuzziness?: unknown;
};

/**
 * Whether a `match` or `match_phrase` compares the value as `term` does: a number stays a number, which a date field
 * reads as milliseconds whatever its format. Otherwise the value is compared as a string.
 */
export function isPlainValue(field: Pick<CompiledField, 'type'>, query: ValueQuery): boolean {
  const { kind, analyzer, lenient, fuzziness } = query;
  return (
    (kind === 'match' || kind === 'match_phrase') &&
    field.type !== 'text' &&
    (analyzer === undefined || analyzer === 'keyword') &&
    !lenient &&
    fuzziness === undefined
  );
}
