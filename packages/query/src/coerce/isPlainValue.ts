import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { MatchBoolPrefixQuery, MatchPhraseQuery, MatchQuery } from '../tree/Query.js';

type ValueQuery = Pick<
  MatchQuery | MatchBoolPrefixQuery | MatchPhraseQuery,
  'analyzer' | 'lenient'
> & { readonly kind: string; readonly fuzziness?: unknown };

/**
 * Whether a server makes a `term` of a `match` or `match_phrase`: then a number stays one, so that a date field takes it
 * for milliseconds whatever its format. All others have their text compared.
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
