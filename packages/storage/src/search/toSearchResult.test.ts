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
    it(`has the same members in the same order (${title})`, async () => {
      const more = { aggregations: { a: { value: 1 } }, timedOut: true };
      const asValue = outcomeOf([{ ...HIT, source: SOURCE }, FULL], more);
      const json = JSON.stringify(SOURCE);
      for (const sourceText of [json, new TextEncoder().encode(json)]) {
        const asText = outcomeOf([{ ...HIT, sourceText }, FULL], more);
        const { text } = await toSearchText(asText, context);
        expect(text).toBe(JSON.stringify(toSearchResult(asValue, context)));
      }
    });
  }

  it('is the same if it is long, and lets other work run in between', async () => {
    const context: ResultContext = { name: NAME, tookMs: 0, showsVersion: false };
    const stats = { count: 1, min: 0, max: 0, text: 'ä "quoted"' };
    const keyed = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`k${n}`, { stats }]));
    const inner = { inner: { inner: { buckets: Object.values(keyed) } }, none: null };
    const innerHits = {
      parts: { hits: Array.from({ length: 500 }, () => ({ _source: stats })) },
    };
    for (const outcome of [
      outcomeOf([], { aggregations: { all: { buckets: keyed } } }),
      outcomeOf([HIT], { aggregations: { all: { inner } } }),
      outcomeOf(Array.from({ length: 200 }, () => ({ ...HIT, innerHits }))),
    ]) {
      let hasOtherRun = false;
      setImmediate(() => (hasOtherRun = true));
      const { text } = await toSearchText(outcome, context);
      expect(hasOtherRun).toBe(true);
      expect(text).toBe(JSON.stringify(toSearchResult(outcome, context)));
    }
  });
});
