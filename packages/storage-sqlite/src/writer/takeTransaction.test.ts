import { Queue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { MAX_TRANSACTION_CHARS, MAX_TRANSACTION_OPERATIONS, takeTransaction } from './takeTransaction.js';
import type { WriterEntry } from './WriterEntry.js';

function segment(operations: number, json = '{}'): WriterEntry {
  return {
    type: 'write',
    collectionNumbers: new Array<number>(operations).fill(1),
    ids: new Array<string>(operations).fill('a'),
    jsons: new Array<string>(operations).fill(json),
    conditions: new Array<number>(operations).fill(0),
    stamps: [''],
    stampStarts: [0],
    origins: [''],
    originStarts: [0],
  };
}

function queueOf(entries: readonly WriterEntry[]): Queue<WriterEntry> {
  const queue = new Queue<WriterEntry>();
  for (const entry of entries) queue.push(entry);
  return queue;
}

describe('takeTransaction', () => {
  it('takes all that waits while it is little', () => {
    const waiting = queueOf([segment(10), segment(20), { type: 'ping' }]);
    expect(takeTransaction(waiting)).toHaveLength(3);
    expect(waiting.size).toBe(0);
  });

  it('leaves what goes past the limit of operations for the next one, in order', () => {
    const [first, second, third] = [segment(1), segment(MAX_TRANSACTION_OPERATIONS - 1), segment(1)] as const;
    const waiting = queueOf([first, second, third]);
    expect(takeTransaction(waiting)).toEqual([first, second]);
    expect([...waiting]).toEqual([third]);
  });

  it('bounds the text of a transaction, but always takes one entry', () => {
    const huge = segment(1, 'x'.repeat(MAX_TRANSACTION_CHARS + 1));
    const waiting = queueOf([huge, segment(1)]);
    expect(takeTransaction(waiting)).toEqual([huge]);
    expect(waiting.size).toBe(1);
  });
});
