import type { Deadline } from '../Deadline.js';
import type { ExecutedSearch } from '../executeSearch.js';
import type { WrittenOutcome, FoundHit, HitWriter, WireForm } from './HitWriter.js';
import { packTexts } from './packTexts.js';
import { ResultTooLarge, type ResultBytes } from './ResultBytes.js';

/** The rows of this many hits are read together at first; then as many as contain about this many bytes. */
const FIRST_HITS = 16;
const BYTES_TOGETHER = 4 * 1024 * 1024;
const MOST_TOGETHER = 2_000;
/** Shorter results are sent to the main thread as strings. */
const PACKED_LENGTH = 131_072;

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
  limits: PageLimits,
): WrittenOutcome {
  const { bytes } = limits;
  const written: string[] = [];
  const sources: string[] = [];
  writeHits(hits, writer, limits, (hit) => {
    const { json, source } = writer.write(hit, limits.deadline);
    bytes.add(json);
    written.push(json);
    if (source === undefined) return;
    bytes.add(source);
    sources.push(source);
  });
  const members = [`"hits":[${written.join()}]`, ...membersOf(search, limits)];
  const aggregations = aggregationsOf(search, bytes);
  if (aggregations !== undefined) members.push(`"aggregations":${aggregations}`);
  const outcome = { json: `{${members.join()}}` };
  if (sources.length === 0) return outcome;
  return { ...outcome, sources: isLong(sources) ? packTexts(sources) : sources };
}

/** As `writeOutcome`, with hits in the form in which clients receive them. @throws as `writeOutcome` */
export function writeWireOutcome(
  search: ExecutedSearch,
  hits: readonly FoundHit[],
  writer: HitWriter,
  { form, ...limits }: PageLimits & { readonly form: WireForm },
): WrittenOutcome {
  const { bytes } = limits;
  const parts: string[] = [];
  writeHits(hits, writer, limits, (hit) => {
    const json = writer.writeWire(hit, form, limits.deadline);
    bytes.add(json);
    parts.push(parts.length === 0 ? '[' : ',', json);
  });
  parts.push(parts.length === 0 ? '[]' : ']');
  const json = `{"hits":[],${membersOf(search, limits).join()}}`;
  const aggregations = aggregationsOf(search, bytes);
  const outcome = { json, hits: isLong(parts) ? packTexts(parts).bytes : parts.join('') };
  return aggregations === undefined ? outcome : { ...outcome, aggregations };
}

function writeHits(
  hits: readonly FoundHit[],
  writer: HitWriter,
  { bytes }: PageLimits,
  write: (hit: FoundHit) => void,
): void {
  for (let at = 0; at < hits.length;) {
    const together = hits.slice(at, at + hitsTogether(at, bytes.charCount));
    writer.prepare(together);
    for (const hit of together) write(hit);
    at += together.length;
  }
}

function membersOf({ ranking, total, timedOut }: ExecutedSearch, { position }: PageLimits): string[] {
  const maxScore = `"maxScore":${ranking?.maxScore ?? 'null'}`;
  const members = [`"total":${total}`, maxScore, `"timedOut":${timedOut}`];
  if (position !== undefined) members.push(`"position":"${position}"`);
  return members;
}

function aggregationsOf({ aggregations }: ExecutedSearch, bytes: ResultBytes): string | undefined {
  if (aggregations === undefined) return undefined;
  const json = stringify(aggregations);
  bytes.add(json);
  return json;
}

function isLong(texts: readonly string[]): boolean {
  return texts.reduce((sum, { length }) => sum + length, 0) >= PACKED_LENGTH;
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
