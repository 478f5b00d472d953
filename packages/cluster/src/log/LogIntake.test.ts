import { toCollectionKey, type ChangeReceiver } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../redis/wire.js';
import type { StreamEntry } from '../redis/RedisStream.js';
import { Intents } from './Intents.js';
import { LogIntake, type LogIntakeParts } from './LogIntake.js';
import { CHANGE, DONE, GONE, INTENT, LOST, OVERTAKEN } from './logMessages.js';
import { LostNodes, type LostNodesParts } from './LostNodes.js';

const COLLECTION = toCollectionKey({ index: 'shop', collection: 'things' });
const BODY = JSON.stringify({ id: 'x', before: null, after: null, atMs: 1, origin: null, isSilent: false });

/** The intake of a node among `a`, which writes, `b` and `c`. */
function open(nodeId: string, entries: readonly StreamEntry[] = [], others = ['b', 'c']) {
  const sent: string[] = [];
  const delivered: string[] = [];
  const link = {
    nodeId,
    send: (topic: string, key: string) => sent.push(`${topic} ${key}`),
    others: () => others,
  } as unknown as LogIntakeParts['link'];
  const intents = new Intents();
  const range = async (after: string) => (after.startsWith('(') ? [] : entries);
  const stream = { range } as unknown as LostNodesParts['stream'];
  const parts = { link, stream, intents, settled: async () => undefined, internalIndex: 'internal' };
  const lostNodes = new LostNodes(parts as unknown as LostNodesParts);
  const progress = { cursorAt: (id: string) => id, note: () => undefined };
  const covers = { isRecorded: () => true };
  const holes = { isIn: () => false, areBack: () => undefined };
  const intake = new LogIntake({ link, intents, progress, covers, holes } as unknown as LogIntakeParts);
  const receiver: Partial<ChangeReceiver> = {
    changed: (_name, cursor) => void delivered.push(cursor),
    lost: (name) => void delivered.push(`gap in ${name?.collection ?? 'all'}`),
  };
  intake.passOn(receiver as ChangeReceiver);
  let entry = 0;
  const take = (from: string, topic: string, key: string, number = 0, body = '{}') =>
    intake.take(
      { topic, key, body: topic === CHANGE ? BODY : body, number },
      { entryId: `${++entry}`, place: 0, from },
    );
  take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 7);
  return { take, sent, delivered, intake, intents, lostNodes };
}

const OWN = `7 ${COLLECTION}`;
const LOST_KEYS = JSON.stringify([COLLECTION]);

describe('the open writes of a node that died (LOG-11)', () => {
  it('open writes are reported by the others, and are one gap for subscribers', async () => {
    const { take, sent, delivered, lostNodes } = open('c');
    lostNodes.left('a', 'died');
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toContain(`${GONE} a`);
    take('b', GONE, 'a', 1, LOST_KEYS);
    take('c', GONE, 'a', 1, LOST_KEYS);
    expect(delivered).toEqual(['gap in things']);
  });

  it('a node without open writes is not reported', async () => {
    const { take, sent, lostNodes } = open('c');
    take('a', DONE, '7');
    lostNodes.left('a', 'stopped');
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([]);
  });

  it('open writes of a node that was only frozen are not reported', async () => {
    const { sent, lostNodes } = open('c', [], ['a', 'b']);
    lostNodes.left('a', 'died');
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.filter((message) => message.startsWith(GONE))).toEqual([]);
  });

  it('open writes that a report did not know are reported again', () => {
    const { take, sent, delivered } = open('c');
    take('a', INTENT, JSON.stringify([['shop/late', 'x']]), 8);
    take('c', GONE, 'a', 1, LOST_KEYS);
    expect(delivered).toEqual(['gap in things', 'gap in late']);
    expect(sent).toEqual([`${LOST} shop/late`]);
  });
});

describe('a node that starts while another one dies (LOG-11)', () => {
  it('open intents of a dying node are read from the stream', async () => {
    const nodeId = 'a'.repeat(8);
    const before: readonly [string, string][] = [
      [INTENT, JSON.stringify([[COLLECTION, 'x']])],
      [DONE, '1'],
      [INTENT, JSON.stringify([['shop/open', 'x']])],
    ];
    const entries = before.map(([topic, key], n) => ({
      id: `${n + 1}-0`,
      fields: encodeEntry(nodeId, [{ number: n + 1, topic, key, body: '' }]),
    }));
    const { intake, lostNodes, intents } = open('c', entries);
    await lostNodes.readIntents('9-0', (message, place) => intake.take(message, place));
    expect(intents.collectionsOf(nodeId)).toEqual(['shop/open']);
  });
});

describe('a change that may be older than unrecorded writes (LOG-12)', () => {
  it('a change after unrecorded writes is followed by a loss, which no other one follows', () => {
    const { take, sent } = open('a');
    take('b', LOST, COLLECTION);
    take('a', CHANGE, OWN);
    take('a', DONE, '7');
    expect(sent).toEqual([`${LOST} ${COLLECTION}`]);
    take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 8);
    take('a', LOST, COLLECTION, 9, OVERTAKEN);
    take('a', CHANGE, `8 ${COLLECTION}`);
    take('a', DONE, '8');
    expect(sent).toHaveLength(1);
  });

  it('a change that was not made, or in another collection, is followed by no loss', () => {
    const { take, sent } = open('a');
    take('b', LOST, toCollectionKey({ index: 'shop', collection: 'others' }));
    take('a', CHANGE, OWN);
    take('a', DONE, '7');
    take('a', INTENT, JSON.stringify([[COLLECTION, 'x']]), 8);
    take('b', LOST, COLLECTION);
    take('a', DONE, '8');
    expect(sent).toEqual([]);
  });

  it('a change whose intent was completed before is followed by a loss', () => {
    const { take, sent, delivered } = open('a');
    take('b', GONE, 'a', 1, LOST_KEYS);
    take('a', CHANGE, OWN);
    expect(delivered).toEqual(['gap in things', '3']);
    expect(sent).toEqual([`${LOST} ${COLLECTION}`]);
  });
});
