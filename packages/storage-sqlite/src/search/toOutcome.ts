import type { JsonObject, SearchHit, SearchOutcome } from '@millrace/kernel';
import { packedText, type WrittenOutcome } from '@millrace/search';

const decoder = new TextDecoder();

/** Converts the search thread's result to the outcome of a search. */
export function toOutcome(
  { json, sources }: WrittenOutcome,
  { prefersText = false }: { readonly prefersText?: boolean } = {},
): SearchOutcome {
  const outcome = JSON.parse(json) as SearchOutcome;
  if (sources === undefined) return outcome;
  const hits = outcome.hits.map((hit, i): SearchHit => {
    const sourceText = 'bytes' in sources ? packedText(sources, i) : (sources[i] as string);
    if (prefersText) return { ...hit, sourceText };
    const text = typeof sourceText === 'string' ? sourceText : decoder.decode(sourceText);
    return { ...hit, source: JSON.parse(text) as JsonObject };
  });
  return { ...outcome, hits };
}
