import type { CollectionName, StorageEngine, WriteOutcome } from '@millrace/kernel';
import { NO_DOCUMENT_METADATA, storageErrors } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { Echoes } from './Echoes.js';
import { Holes } from './Holes.js';
import { Intents } from './Intents.js';
import { readIntentKey } from './logMessages.js';
import { WriteRecorder } from './WriteRecorder.js';

const THINGS = { index: 'shop', collection: 'things' };
const CREATED: WriteOutcome = { status: 'created', version: 1, meta: NO_DOCUMENT_METADATA };

/** A recorder whose messages are in the stream at once, before those of `others`. */
function open(onIntent: (intents: Intents, ref: string) => void, written = async () => [CREATED]) {
  const sent: string[] = [];
  const intents = new Intents();
  const echoes = new Echoes(60_000, () => true);
  const add = (ref: string, key: string) => intents.add({ ref, nodeId: 'a', documents: readIntentKey(key) });
  const send = (topic: string, key: string) => {
    const number = sent.push(topic);
    if (topic === 'log.intent') {
      add(`a:${number}`, key);
      onIntent(intents, `a:${number}`);
    }
    echoes.take(number, () => '');
    return number;
  };
  const settled = async () => undefined;
  const holes = new Holes(send, async () => undefined, settled);
  const engine = { write: written } as unknown as StorageEngine;
  const isRecorded = ({ collection }: CollectionName) => collection === 'things';
  const rest = { settled, isRecorded, isInternal: () => false };
  const recorder = new WriteRecorder({ engine, nodeId: 'a', intents, echoes, holes, send, turnWithinMs: 10, ...rest });
  const write = () =>
    recorder.write([{ ...THINGS, kind: 'put', id: 'x', source: {}, condition: 'absent' }], {
      refresh: false,
      stamp: undefined,
      origin: undefined,
    });
  return { write, sent, add };
} // prettier-ignore

describe('WriteRecorder', () => {
  it('makes a write without a record if earlier writes of its document never end (LOG-12)', async () => {
    const { write, sent, add } = open(() => undefined);
    add('b:1', JSON.stringify([[`${THINGS.index}/${THINGS.collection}`, 'x']]));
    expect(await write()).toEqual([CREATED]);
    expect(sent).toEqual(['log.intent', 'log.lost', 'log.lost', 'log.done']);
  });

  it('announces a write again if the others have closed its intent before it was made (LOG-11)', async () => {
    let isClosed = false;
    const { write, sent } = open((intents, ref) => {
      if (!isClosed) intents.close(ref);
      isClosed = true;
    });
    expect(await write()).toMatchObject([{ status: 'created', isPassedOn: true }]);
    expect(sent).toEqual(['log.intent', 'log.intent', 'log.change', 'log.done']);
  });

  it('reports a write that the storage did not answer, and then completes it (LOG-11)', async () => {
    const error = storageErrors.unavailable({ reason: 'test' });
    const { write, sent } = open(
      () => undefined,
      async () => [{ status: 'failed', error }] as never,
    );
    expect(await write()).toEqual([{ status: 'failed', error }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['log.intent', 'log.lost', 'log.done']);
  });

  it('reports nothing of a write that the storage refuses', async () => {
    const { write, sent } = open(
      () => undefined,
      () => Promise.reject(storageErrors.collection_not_found(THINGS)),
    );
    await expect(write()).rejects.toThrow('collection');
    expect(sent).toEqual(['log.intent', 'log.done']);
  });
});
