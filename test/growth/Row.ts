import type { JsonObject } from '@millrace/kernel';
import type { MeasuredServer } from './MeasuredServer.js';

/** What a row opened: how many entries, and what refused further ones. */
export interface Opened {
  readonly count: number;
  /** Absent: nothing was refused. */
  readonly refusal?: string;
}

/** Memory that the server says it takes: for each entry, or for all of them. */
export type Counted = { readonly bytesEach: number } | { readonly bytesInAll: number };

/** One kind of state that clients make by their requests. */
export interface Row {
  readonly name: string;
  /** Configuration of its server. */
  readonly config?: JsonObject;
  /** Opens so many entries, fewer if the server refuses further ones. Different numbers make different entries. */
  open(server: MeasuredServer, count: number): Promise<Opened>;
  /** What the server counts for the entries, or the bound that docs/decisions/0012 gives for them. */
  readonly counted: Counted;
  /** Why the row is measured and printed, but not held to its bound: a fault that is still open. */
  readonly knownGap?: string;
  /** How many there may be; absent: a refusal of the row is their bound. */
  readonly maxCount?: number;
  /** Closes what `open` opened; resolves once the server has noticed. Absent: entries end by themselves, within `maxCount`. */
  release?(server: MeasuredServer): Promise<void>;
}

/** Runs `work` for the numbers below `count`, `width` at a time, until one gives a refusal. */
export async function crowd(
  count: number,
  width: number,
  work: (n: number) => Promise<string | undefined>,
): Promise<Opened> {
  let next = 0;
  let opened = 0;
  let refusal: string | undefined;
  const worker = async () => {
    while (next < count && refusal === undefined) {
      const refused = await work(next++);
      if (refused === undefined) opened++;
      else refusal ??= refused;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return { count: opened, ...(refusal !== undefined && { refusal }) };
}

/** A different address for every number. */
export function addressOf(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

/** An answer of the server, as far as rows read it. */
export interface Answer {
  readonly status: number;
  readonly result: JsonObject;
  readonly error?: { readonly id: string; readonly message: string } | null;
}

/** The refusal in an answer; undefined for 200. */
export function refusalOf({ status, error }: Pick<Answer, 'status' | 'error'>): string | undefined {
  return status === 200 ? undefined : `${status} ${error?.id ?? ''}`.trim();
}
