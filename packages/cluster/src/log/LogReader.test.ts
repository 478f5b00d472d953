import { DocumentText, NO_DOCUMENT_METADATA } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../link/wire.js';
import { CHANGE } from './logMessages.js';
import { LogReader } from './LogReader.js';
import { toCursor } from './positions.js';

const EPOCH = 'abcdefgh';
const KEY = 'shop/things';

/** An entry with the creation of `x`, as recorded for the intent `a:1`. */
function entry(id: string, ref: string) {
  const after = { source: {}, meta: NO_DOCUMENT_METADATA, version: 1 };
  const body = JSON.stringify({ id: 'x', before: null, after, atMs: 1, origin: null, isSilent: false });
  return { id, fields: encodeEntry('a'.repeat(8), [{ number: 1, topic: CHANGE, key: `${ref} ${KEY}`, body }]) };
} // prettier-ignore

describe('LogReader', () => {
  it('leaves out a change that is in the log a second time (LOG-11)', async () => {
    const entries = [entry('1-0', '1.0'), entry('2-0', 'a:1.0')];
    const stream = {
      range: async (from: string) => (from.startsWith('(') ? [] : entries),
      firstId: async () => '1-0',
    };
    const repeated = toCursor(EPOCH, '2-0', 0);
    const reader = new LogReader(stream, (cursor) => cursor === repeated);
    const after = { entryId: '1-0', place: -1 };
    const range = { key: KEY, epoch: EPOCH, after, upTo: '2-0', head: toCursor(EPOCH, '3-0', 0) };
    const replay = await reader.changesAfter(range, { maxChanges: 10, maxWeight: 10_000 });
    expect(replay).toMatchObject({ changes: [{ id: 'x', cursor: toCursor(EPOCH, '1-0', 0) }] });
    expect('changes' in replay && replay.changes).toHaveLength(1);
    const [change] = 'changes' in replay ? replay.changes : [];
    expect(change?.kind === 'document' && change.after).toBeInstanceOf(DocumentText);
  });
});
