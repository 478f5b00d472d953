import type { JsonObject, SearchHit, SearchOutcome } from '@millrace/kernel';
import type { TaskResult } from './SearchMessages.js';

/** The outcome of a search from what the search thread gives. */
export function toOutcome(
  { json, sources }: TaskResult,
  { prefersText = false }: { readonly prefersText?: boolean } = {},
): SearchOutcome {
  const outcome = JSON.parse(json) as SearchOutcome;
  if (sources === undefined) return outcome;
  const hits = outcome.hits.map((hit, i): SearchHit => {
    const sourceText = sources[i] as string;
    if (prefersText) return { ...hit, sourceText };
    return { ...hit, source: JSON.parse(sourceText) as JsonObject };
  });
  return { ...outcome, hits };
}
