import { describe, expect, it } from 'vitest';
import { compareIds, showId, StreamValue, type StreamEntry } from './StreamValue.js';

const idOf = (ms: number, sequence = 0) => ({ ms: BigInt(ms), sequence: BigInt(sequence) });
const entryOf = (ms: number, sequence = 0): StreamEntry => ({ id: idOf(ms, sequence), fields: ['f', `v${ms}`] });
const shown = (stream: StreamValue) => [...stream.entriesInOrder()].map(({ id }) => showId(id));

describe('StreamValue', () => {
  it('agrees with an array while it grows, is trimmed and loses entries', () => {
    const stream = new StreamValue();
    let model: StreamEntry[] = [];
    for (let step = 1; step <= 2_000; step++) {
      const entry = entryOf(Math.floor(step / 3) + 1, step % 3);
      stream.append(entry);
      model.push(entry);
      if (step % 7 === 0) {
        const count = step % 5;
        stream.removeFirst(count);
        model = model.slice(count);
      }
      const victim = model[(step * 7919) % model.length];
      if (step % 4 === 0 && victim !== undefined) {
        expect(stream.delete(victim.id)).toBe(true);
        expect(stream.delete(victim.id)).toBe(false);
        model = model.filter((each) => each !== victim);
      }
      expect(stream.size).toBe(model.length);
    }
    expect([...stream.entriesInOrder()]).toEqual(model);
    expect(stream.lastId).toEqual(idOf(667, 2));
    for (const [position, { id }] of model.entries()) expect(stream.positionOf(id)).toBe(position);
    stream.removeFirst(stream.size);
    expect([stream.size, stream.bytes]).toEqual([0, new StreamValue().bytes]);
  });

  it('finds the first entry with at least an id, by both of its parts', () => {
    const stream = new StreamValue();
    for (const [ms, sequence] of [
      [5, 0],
      [5, 9],
      [5, 10],
      [7, 0],
    ] as const)
      stream.append(entryOf(ms, sequence));
    const positions = [idOf(0), idOf(5, 1), idOf(5, 9), idOf(5, 11), idOf(7, 1)].map((id) => stream.positionOf(id));
    expect(positions).toEqual([0, 1, 1, 3, 4]);
    expect(stream.at(4)).toBeUndefined();
    stream.removeFirst(3);
    expect([stream.positionOf(idOf(5)), stream.positionOf(idOf(7)), stream.positionOf(idOf(8))]).toEqual([0, 0, 1]);
  });

  it('keeps its last id without entries, and takes cleared ones back', () => {
    const stream = new StreamValue();
    const entries = [entryOf(1), entryOf(2)];
    for (const entry of entries) stream.append(entry);
    const { bytes } = stream;
    stream.clear();
    expect([stream.size, showId(stream.lastId)]).toEqual([0, '2-0']);
    for (const entry of entries) stream.restore(entry);
    expect([shown(stream), stream.bytes]).toEqual([['1-0', '2-0'], bytes]);
  });

  it('compares ids of 64 bits as numbers', () => {
    const large = { ms: 2n ** 64n - 1n, sequence: 2n ** 64n - 1n };
    expect([compareIds(idOf(9), idOf(10)), compareIds(large, idOf(10)), compareIds(large, { ...large })]).toEqual([
      -1, 1, 0,
    ]);
    expect(compareIds({ ...large, sequence: large.sequence - 1n }, large)).toBe(-1);
  });
});
