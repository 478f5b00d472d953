import type { Deadline } from '../Deadline.js';
import type { ExecutedSearch } from '../executeSearch.js';
import type { WrittenOutcome } from './WrittenOutcome.js';
import type { FoundHit, HitWriter } from './HitWriter.js';
import { packTexts } from './packTexts.js';
import { ResultTooLarge, type ResultBytes } from './ResultBytes.js';

/** The rows of this many hits are read together at first; then as many as contain about this many bytes. */
const FIRST_HITS = 16;
const BYTES_TOGETHER = 4 * 1024 * 1024;
const MOST_TOGETHER = 2_000;
/** Shorter sources are sent to the main thread as strings. */
const PACKED_BYTES = 262_144;

/** Limits for writing one page. */
export interface PageLimits {
  readonly deadline: Deadline;
  readonly bytes: ResultBytes;
  /** See `SearchOutcome`. */
  readonly position?: string | undefined;
}

/**
 * The outcome of a search as JSON text of the kernel's `SearchOutcome`, and the sources of its hits.
 * @throws ResultTooLarge as soon as it exceeds the maximum size of a result; TimeIsUp, Cancelled
 */
export function writeOutcome(
  search: ExecutedSearch,
  hits: readonly FoundHit[],
  writer: HitWriter,
  { deadline, bytes, position }: PageLimits,
): WrittenOutcome {
  const { ranking, total, aggregations, timedOut } = search;
  const written: string[] = [];
  const sources: string[] = [];
  let sourceBytes = 0;
  for (let at = 0; at < hits.length;) {
    const together = hits.slice(at, at + hitsTogether(at, bytes.total));
    writer.prepare(together);
    for (const hit of together) {
      const { json, source } = writer.write(hit, deadline);
      bytes.add(json);
      written.push(json);
      if (source === undefined) continue;
      sourceBytes += bytes.add(source);
      sources.push(source);
    }
    at += together.length;
  }
  const members = [
    `"hits":[${written.join()}]`,
    `"total":${total}`,
    `"maxScore":${ranking?.maxScore ?? 'null'}`,
    `"timedOut":${timedOut}`,
  ];
  if (position !== undefined) members.push(`"position":"${position}"`);
  if (aggregations !== undefined) {
    const json = stringify(aggregations);
    bytes.add(json);
    members.push(`"aggregations":${json}`);
  }
  const outcome = { json: `{${members.join()}}` };
  if (sources.length === 0) return outcome;
  if (sourceBytes < PACKED_BYTES) return { ...outcome, sources };
  return { ...outcome, sources: packTexts(sources, sourceBytes) };
}

function hitsTogether(writtenCount: number, writtenBytes: number): number {
  if (writtenCount === 0) return FIRST_HITS;
  const fitting = Math.floor((BYTES_TOGETHER * writtenCount) / Math.max(1, writtenBytes));
  return Math.max(1, Math.min(MOST_TOGETHER, fitting));
}

function stringify(aggregations: object): string {
  try {
    return JSON.stringify(aggregations);
  } catch (error) {
    // V8 can't create strings above half a gigabyte.
    if (error instanceof RangeError) throw new ResultTooLarge();
    throw error;
  }
}
