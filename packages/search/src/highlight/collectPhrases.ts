import { clausesIn, type BoundQuery } from '@millrace/query';
import { compileQuery } from '../queries/compileQuery.js';
import { advance } from '../queries/setOperations.js';
import type { SearchScope } from '../SearchScope.js';
import { phrasesOfLeaf } from './phrasesOfLeaf.js';
import type { SearchedPhrase } from './SearchedPhrase.js';

/** A phrase of a clause, and the documents that match that clause. */
export interface ClausePhrase extends SearchedPhrase {
  readonly isIn: (slot: number) => boolean;
}

/** The context of a clause in its query. */
interface Surroundings {
  /** Whether all highlighted documents match the clause. */
  readonly isRequired: boolean;
  /** Whether the clause applies to the slots to highlight: not within `nested`. */
  readonly isOfSlots: boolean;
  /** The matches of the enclosing optional clauses, as ascending slots. */
  readonly within: readonly Int32Array[];
}

/**
 * Collects the phrases of a query. Those of an optional clause apply only to the documents that match it: it is matched
 * once, unless the occurrence of any of its terms proves a match. Clauses of `must_not` have no phrases.
 * @param around context of the whole query
 */
export function collectPhrases(
  query: BoundQuery,
  scope: SearchScope,
  around: Pick<Surroundings, 'isRequired' | 'isOfSlots'>,
): ClausePhrase[] {
  const found: ClausePhrase[] = [];
  const visit = (clause: BoundQuery, { isRequired, isOfSlots, within }: Surroundings) => {
    const conditions =
      isOfSlots && !isRequired && needsAllOfSeveral(clause)
        ? [...within, compileQuery(clause, scope).match(false).slots]
        : within;
    const isIn = (slot: number) => conditions.every((slots) => slots[advance(slots, 0, slot)] === slot);
    for (const phrase of phrasesOfLeaf(clause)) found.push({ ...phrase, isIn });
    for (const inner of clausesIn(clause).positive) {
      visit(inner, {
        isRequired: isRequiredIn(clause, inner),
        isOfSlots: isOfSlots && clause.kind !== 'nested',
        within: conditions,
      });
    }
  };
  visit(query, { ...around, within: [] });
  return found;
}

/** Whether a clause may not match although some of its terms occur. */
function needsAllOfSeveral(clause: BoundQuery): boolean {
  switch (clause.kind) {
    case 'match':
    case 'match_bool_prefix':
    case 'cross_fields':
      return clause.operator === 'and' || clause.minimumShouldMatch !== undefined;
    case 'dis_max':
      return false;
    default:
      return clausesIn(clause).positive.length > 0;
  }
}

function isRequiredIn(query: BoundQuery, clause: BoundQuery): boolean {
  if (query.kind === 'bool') return query.must.includes(clause) || query.filter.includes(clause);
  return query.kind !== 'dis_max';
}
