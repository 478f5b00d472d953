import { silentLogger, toCollectionKey, type ChangeReceiver } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { Intents } from './Intents.js';
import { LogIntake, type LogIntakeParts } from './LogIntake.js';
import { CHANGE, DONE, HOLE, INTENT, RESOLVE } from './logMessages.js';
import { LostNodes, type LostNodesParts } from './LostNodes.js';

const COLLECTION = toCollectionKey({ index: 'shop', collection: 'things' });
const BODY = JSON.stringify({ id: 'x', before: null, after: null, atMs: 1, origin: null, isSilent: false }); // prettier-ignore

/** The intake of a node among `a`, which writes, `b`, which resolves its writes, and `c`. */
function open(nodeId: string) {
  const sent: string[] = [];
  const delivered: string[] = [];
  const link = {
    nodeId,
    send: (topic: string, key: string) => sent.push(`${topic} ${key}`),
    others: () => ['a', 'b', 'c'],
  } as unknown as LogIntakeParts['link'];
  const intents = new Intents();
  const parts = { link, intents, logger: silentLogger, turnWithinMs: 1, internalIndex: 'internal' };
  const lostNodes = new LostNodes(parts as unknown as LostNodesParts);
  const progress = { cursorAt: (id: string) => id, note: () => undefined };
  const covers = { isRecorded: () => true };
  const holes = { isIn: () => false };
  const intake = new LogIntake({ link, intents, lostNodes, progress, covers, holes } as unknown as LogIntakeParts); // prettier-ignore
  const receiver: Partial<ChangeReceiver> = {
    changed: (_name, cursor) => void delivered.push(cursor),
  };
  intake.passOn(receiver as ChangeReceiver);
  let entry = 0;
  const take = (from: string, topic: string, key: string, number = 0) =>
    intake.take({ topic, key, body: topic === CHANGE ? BODY : '{}', number }, { entryId: `${++entry}`, place: 0, from }); // prettier-ignore
  take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 7);
  return { take, sent, delivered };
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
