import { DocumentText, NO_DOCUMENT_METADATA } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../redis/wire.js';
import { CHANGE, GONE } from './logMessages.js';
import { LogReader } from './LogReader.js';
import { toCursor } from './positions.js';

const EPOCH = 'abcdefgh';
const KEY = 'shop/things';

const ENDLESS = { maxChanges: 10, maxWeight: 10_000 };

function entryOf(id: string, topic: string, key: string, body: string) {
  return { id, fields: encodeEntry('a'.repeat(8), [{ number: 1, topic, key, body }]) };
}

/** An entry with the creation of `x`. */
function creation(id: string) {
  const after = { source: {}, meta: NO_DOCUMENT_METADATA, version: 1 };
  const body = { id: 'x', before: null, after, atMs: 1, origin: null, isSilent: false };
  return entryOf(id, CHANGE, `1 ${KEY}`, JSON.stringify(body));
}

function read(...entries: readonly ReturnType<typeof entryOf>[]) {
  const stream = {
    range: async (from: string) => (from.startsWith('(') ? [] : entries),
    firstId: async () => '1-0',
  };
  const after = { entryId: '1-0', place: -1 };
  const range = { key: KEY, epoch: EPOCH, after, upTo: '2-0', head: toCursor(EPOCH, '3-0', 0) };
  return new LogReader(stream).changesAfter(range, ENDLESS);
}

describe('LogReader', () => {
  it('reads changes without parsing their documents', async () => {
    const replay = await read(creation('1-0'));
    expect(replay).toMatchObject({ changes: [{ id: 'x', cursor: toCursor(EPOCH, '1-0', 0) }] });
    const [change] = 'changes' in replay ? replay.changes : [];
    expect(change?.kind === 'document' && change.after).toBeInstanceOf(DocumentText);
  });

  it('ends with a gap where a node died that wrote to the collection (LOG-11)', async () => {
    const gone = entryOf('2-0', GONE, 'b', JSON.stringify(['shop/other', KEY]));
    expect(await read(creation('1-0'), gone)).toEqual({ gap: 'node_lost' });
    const other = entryOf('2-0', GONE, 'b', JSON.stringify(['shop/other']));
    expect(await read(creation('1-0'), other)).toMatchObject({ changes: [{ id: 'x' }] });
  });
});
