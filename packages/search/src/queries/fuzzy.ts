import { fuzzyEdits, type Fuzziness } from '@millrace/query';
import { compareTerms } from '../columns/TermDictionary.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import type { SearchScope } from '../SearchScope.js';
import { anyOf } from './anyOf.js';
import { findNearTerms } from './findNearTerms.js';
import { KeywordTermNode } from './KeywordTermNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { NO_DOCUMENT } from './setNode.js';

/** Options of a fuzzy search. */
export interface FuzzyOptions {
  readonly fuzziness: Fuzziness;
  readonly prefixLength: number;
  readonly maxExpansions: number;
  readonly transpositions: boolean;
}

interface Candidate {
  readonly term: string;
  readonly code: number;
  /** 1 for the word itself, less per edit. */
  readonly likeness: number;
}

/** The documents with a term within the permitted edits of a word; nearer terms score higher. */
export function fuzzyNode(
  index: TermField | TextField,
  word: string,
  options: FuzzyOptions,
  boost: number,
  scope: SearchScope,
): QueryNode {
  const candidates = findCandidates(index, word, options, scope)
    .sort((a, b) => b.likeness - a.likeness || compareTerms(a.term, b.term))
    .slice(0, options.maxExpansions);
  if (candidates.length === 0) return NO_DOCUMENT;
  // All terms use the highest document frequency, so a rare misspelling doesn't score higher than the word.
  const matchCount = Math.max(...candidates.map(({ code }) => index.postings.count(code)));
  const terms = candidates.map(({ term, code, likeness }) =>
    index.kind === 'text'
      ? new TextTermNode(index, term, boost * likeness, matchCount)
      : new KeywordTermNode(index, code, boost * likeness, matchCount),
  );
  return anyOf(terms, scope);
}

function findCandidates(
  index: TermField | TextField,
  word: string,
  options: FuzzyOptions,
  scope: SearchScope,
): Candidate[] {
  const { dictionary } = index;
  const characters = [...word];
  // The empty word has no similar terms.
  const limit = characters.length === 0 ? 0 : fuzzyEdits(options.fuzziness, characters.length);
  const prefix = characters.slice(0, options.prefixLength).join('');
  const near = findNearTerms(dictionary, characters, {
    limit,
    transpositions: options.transpositions,
    ranks: dictionary.ranksOfPrefix(prefix),
    check: () => scope.deadline.check(),
  });
  return near.map(({ term, code, edits, length }) => {
    // All letters of a word of one or two may differ: the term is found with score 0.
    const likeness = Math.max(0, 1 - edits / Math.min(characters.length, length));
    return { term, code, likeness: edits === 0 ? 1 : likeness };
  });
}
