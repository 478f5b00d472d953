import type { JsonObject, SearchHit, SearchOutcome } from '@millrace/kernel';
import type { WrittenOutcome } from './HitWriter.js';
import { packedText } from './packTexts.js';

type ParsedHit = { -readonly [K in keyof SearchHit]: SearchHit[K] };

const decoder = new TextDecoder();

/** Converts the search thread's result to the outcome of a search. */
export function toOutcome(
  { json, sources, hits: hitsText, aggregations: aggregationsText }: WrittenOutcome,
  { prefersText = false }: { readonly prefersText?: boolean } = {},
): SearchOutcome {
  const outcome = JSON.parse(json) as Omit<SearchOutcome, 'hits'> & { readonly hits: ParsedHit[] };
  if (hitsText !== undefined) {
    return aggregationsText === undefined ? { ...outcome, hitsText } : { ...outcome, hitsText, aggregationsText };
  }
  if (sources === undefined) return outcome;
  // The parsed hits belong to this call: they are completed in place, since a copy of each costs more than the parsing.
  outcome.hits.forEach((hit, i) => {
    const sourceText = 'bytes' in sources ? packedText(sources, i) : (sources[i] as string);
    if (prefersText) hit.sourceText = sourceText;
    else {
      const text = typeof sourceText === 'string' ? sourceText : decoder.decode(sourceText);
      hit.source = JSON.parse(text) as JsonObject;
    }
  });
  return outcome;
}
