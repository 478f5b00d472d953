import { NO_DOCUMENT_METADATA, type SearchHit, type SearchOutcome } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { toSearchResult, toSearchText, type ResultContext } from './toSearchResult.js';

const NAME = { index: 'shop', collection: 'things' };
const SOURCE = { n: 1, name: 'ä "quoted"' };
const HIT: SearchHit = { id: 'a"b', score: 1.5, version: 3, meta: NO_DOCUMENT_METADATA };
const FULL: SearchHit = {
  ...HIT,
  sort: [1, null, 'x'],
  highlight: { name: ['<em>a</em>'] },
  innerHits: { parts: { hits: [] } },
};

function outcomeOf(hits: readonly SearchHit[], more: Partial<SearchOutcome> = {}): SearchOutcome {
  return { hits, total: 2, maxScore: null, timedOut: false, ...more };
}

describe('the result of a search as value and as text (SEARCH-10)', () => {
  const contexts: Record<string, ResultContext> = {
    plain: { name: NAME, tookMs: 1.6, showsVersion: false },
    full: { name: NAME, tookMs: 0, showsVersion: true, scrollId: 's-1', from: 0, size: 5 },
  };

  for (const [title, context] of Object.entries(contexts)) {
    it(`has the same members in the same order (${title})`, () => {
      const more = { aggregations: { a: { value: 1 } }, timedOut: true };
      const asValue = outcomeOf([{ ...HIT, source: SOURCE }, FULL], more);
      const json = JSON.stringify(SOURCE);
      for (const sourceText of [json, new TextEncoder().encode(json)]) {
        const asText = outcomeOf([{ ...HIT, sourceText }, FULL], more);
        const { text } = toSearchText(asText, context);
        expect(text).toBe(JSON.stringify(toSearchResult(asValue, context)));
      }
    });
  }
});
