import { NO_DOCUMENT_METADATA, Queue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import type { DocumentWrites } from './PendingWrite.js';
import { splitIntoChunks, type BulkItem } from './sendBulk.js';

const document: DocumentWrites = {
  alias: 'a',
  id: 'a',
  pending: new Queue(),
  state: null,
  wasMissing: false,
};
const item = (bytes: number): BulkItem => ({
  document,
  lines: ['x'.repeat(bytes - 1)],
  version: 1,
  meta: NO_DOCUMENT_METADATA,
});

describe('bulk requests', () => {
  it('hold a bounded number of operations and bytes, in their order', () => {
    const items = [item(40), item(40), item(40), item(10), item(10), item(10)];
    const chunks = splitIntoChunks(items, { bulkMaxBytes: 100, bulkMaxOperations: 3 });
    expect(chunks.map(({ length }) => length)).toEqual([2, 3, 1]);
    expect(chunks.flat()).toEqual(items);
  });

  it('take a document that is larger alone', () => {
    const chunks = splitIntoChunks([item(10), item(500), item(10)], {
      bulkMaxBytes: 100,
      bulkMaxOperations: 10,
    });
    expect(chunks.map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});
