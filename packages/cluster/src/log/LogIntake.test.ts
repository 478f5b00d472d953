import { silentLogger, toCollectionKey, type ChangeReceiver } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../link/wire.js';
import type { StreamEntry } from '../redis/RedisStream.js';
import { Intents } from './Intents.js';
import { LogIntake, type LogIntakeParts } from './LogIntake.js';
import { CHANGE, DONE, HOLE, INTENT, LOST, OVERTAKEN, RESOLVE } from './logMessages.js';
import { LostNodes, type LostNodesParts } from './LostNodes.js';

const COLLECTION = toCollectionKey({ index: 'shop', collection: 'things' });
const BODY = JSON.stringify({ id: 'x', before: null, after: null, atMs: 1, origin: null, isSilent: false });

/** The intake of a node among `a`, which writes, `b`, which resolves its writes, and `c`. */
function open(nodeId: string, entries: readonly StreamEntry[] = []) {
  const sent: string[] = [];
  const delivered: string[] = [];
  const link = {
    nodeId,
    send: (topic: string, key: string) => sent.push(`${topic} ${key}`),
    others: () => ['a', 'b', 'c'],
  } as unknown as LogIntakeParts['link'];
  const intents = new Intents();
  const range = async (after: string) => (after.startsWith('(') ? [] : entries);
  const stream = { range } as unknown as LostNodesParts['stream'];
  const parts = {
    link,
    stream,
    intents,
    logger: silentLogger,
    turnWithinMs: 1,
    internalIndex: 'internal',
  };
  const lostNodes = new LostNodes(parts as unknown as LostNodesParts);
  const progress = {
    cursorAt: (id: string) => id,
    note: () => undefined,
    noteRepeated: () => undefined,
  };
  const covers = { isRecorded: () => true };
  const holes = { isIn: () => false, areBack: () => undefined };
  const intake = new LogIntake({ link, intents, lostNodes, progress, covers, holes } as unknown as LogIntakeParts);
  const receiver: Partial<ChangeReceiver> = {
    changed: (_name, cursor) => void delivered.push(cursor),
    lost: () => undefined,
  };
  intake.passOn(receiver as ChangeReceiver);
  let entry = 0;
  const take = (from: string, topic: string, key: string, number = 0, body = '{}') =>
    intake.take(
      { topic, key, body: topic === CHANGE ? BODY : body, number },
      { entryId: `${++entry}`, place: 0, from },
    );
  take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 7);
  return { take, sent, delivered, intake, lostNodes };
}

const OWN = `7.0 ${COLLECTION}`;
const RESOLVED = `a:7.0 ${COLLECTION}`;

describe('the change of a node that was declared dead and lives (LOG-11)', () => {
  it('is taken once if the node records it while another one finds it out', () => {
    const { take, delivered } = open('c');
    take('b', RESOLVE, 'a');
    take('a', CHANGE, OWN);
    take('a', DONE, '7');
    take('b', CHANGE, RESOLVED);
    take('b', DONE, 'a:7');
    expect(delivered).toEqual(['3']);
  });

  it('is taken once if another node has recorded it before, and its node reports that replays have it twice', () => {
    const { take, delivered, sent } = open('a');
    take('b', RESOLVE, 'a');
    take('b', CHANGE, RESOLVED);
    take('a', CHANGE, OWN);
    take('b', DONE, 'a:7');
    take('a', DONE, '7');
    take('a', CHANGE, OWN);
    expect(delivered).toEqual(['3']);
    expect(sent).toEqual([`${HOLE} ${COLLECTION}`, `${HOLE} ${COLLECTION}`]);
  });
});

describe('a node that starts between the two records of a change (LOG-11)', () => {
  it('takes neither: it reads them, and who finds the change out, from the stream', async () => {
    const before: readonly [string, string, string, string][] = [
      ['a', INTENT, JSON.stringify([[COLLECTION, 'x']]), '{}'],
      ['b', RESOLVE, 'a', ''],
      ['a', CHANGE, `1.0 ${COLLECTION}`, BODY],
      ['a', DONE, '1', ''],
    ];
    const nodeOf = (name: string) => name.repeat(8);
    const entries = before.map(([from, topic, key, body], n) => ({
      id: `${n + 1}-0`,
      fields: encodeEntry(nodeOf(from), [{ number: n + 1, topic, key: key.replace(/^a$/, nodeOf('a')), body }]),
    }));
    const { intake, lostNodes, delivered } = open('c', entries);
    await lostNodes.readIntents('9-0', (message, place) => intake.take(message, place));
    expect(delivered).toEqual(['3-0']);
    const again = { number: 9, topic: CHANGE, key: `${nodeOf('a')}:1.0 ${COLLECTION}`, body: BODY };
    intake.take(again, { entryId: '9-0', place: 0, from: nodeOf('b') });
    expect(delivered).toEqual(['3-0']);
  });
});

describe('a change that may be older than unrecorded writes (LOG-12)', () => {
  it('is followed by a loss, which no other one follows', () => {
    const { take, sent } = open('a');
    take('b', LOST, COLLECTION);
    take('a', CHANGE, OWN);
    take('a', DONE, '7');
    expect(sent).toEqual([`${LOST} ${COLLECTION}`]);
    take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 8);
    take('a', LOST, COLLECTION, 9, OVERTAKEN);
    take('a', CHANGE, `8.0 ${COLLECTION}`);
    take('a', DONE, '8');
    expect(sent).toHaveLength(1);
  });

  it('is followed by no loss if it was not made, or is not in that collection', () => {
    const { take, sent } = open('a');
    take('b', LOST, toCollectionKey({ index: 'shop', collection: 'others' }));
    take('a', CHANGE, OWN);
    take('a', DONE, '7');
    take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 8);
    take('b', LOST, COLLECTION);
    take('a', DONE, '8');
    expect(sent).toEqual([]);
  });

  it('is followed by a loss if its intent was completed before', () => {
    const { take, sent, delivered } = open('a');
    take('b', DONE, 'a:7');
    take('a', CHANGE, OWN);
    expect(delivered).toEqual(['3']);
    expect(sent).toEqual([`${LOST} ${COLLECTION}`]);
  });
});
