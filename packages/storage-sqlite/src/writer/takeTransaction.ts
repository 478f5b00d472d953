import type { Queue } from '@millrace/kernel';
import type { WriterEntry } from './WriterEntry.js';

/** Maximum number of operations per transaction: callers of a small write should not wait for a whole import. */
export const MAX_TRANSACTION_OPERATIONS = 5_000;

/** Maximum number of JSON characters per transaction, which bounds its memory. */
export const MAX_TRANSACTION_CHARS = 16 * 1024 * 1024;

/** Removes the entries of the next transaction from the front of `waiting`: at least one entry, in order. */
export function takeTransaction(waiting: Queue<WriterEntry>): WriterEntry[] {
  let operations = 0;
  let chars = 0;
  const taken: WriterEntry[] = [];
  for (let entry = waiting.first; entry !== undefined; entry = waiting.first) {
    const { operations: moreOperations, chars: moreChars } = sizeOf(entry);
    operations += moreOperations;
    chars += moreChars;
    const fits = operations <= MAX_TRANSACTION_OPERATIONS && chars <= MAX_TRANSACTION_CHARS;
    if (taken.length > 0 && !fits) break;
    taken.push(entry);
    waiting.take();
  }
  return taken;
}

function sizeOf(entry: WriterEntry): { operations: number; chars: number } {
  if (entry.type !== 'write') return { operations: 1, chars: 0 };
  let chars = 0;
  for (const json of entry.jsons) chars += json?.length ?? 0;
  return { operations: entry.ids.length, chars };
}
