import { setImmediate } from 'node:timers/promises';
import { storageErrors } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { Holes } from './Holes.js';

const KEY = 'shop/things';

/** Holes with what they send and do, in order. */
function open() {
  const events: string[] = [];
  const settlings: (() => void)[] = [];
  let number = 0;
  const holes = new Holes(
    (_topic, key) => {
      events.push(`report ${key}`);
      return ++number;
    },
    async () => void events.push('mark'),
    () => new Promise((resolve) => settlings.push(resolve)),
  );
  const settle = async () => {
    settlings.shift()?.();
    await setImmediate();
  };
  const write = () => holes.write([KEY], async () => void events.push('write'));
  return { holes, events, settle, write };
}

const noAnswer = () => Promise.reject(storageErrors.unavailable({ reason: 'test' }));

describe('writes while Redis is unavailable (LOG-12)', () => {
  it('are enclosed by two reports, and begin once they are marked in the storage', async () => {
    const { events, write } = open();
    await write();
    expect(events).toEqual([`report ${KEY}`, 'mark', 'write', `report ${KEY}`]);
  });

  it('are enclosed also if they fail', async () => {
    const { holes, events } = open();
    await expect(holes.write([KEY], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(events).toEqual([`report ${KEY}`, 'mark', `report ${KEY}`]);
    expect(holes.areBefore(3)).toBe(true);
  });

  it('leave a hole until their last report is back', async () => {
    const { holes, write } = open();
    await write();
    holes.areBack(KEY, 1);
    expect(holes.isIn(KEY)).toBe(true);
    holes.areBack('shop/others', 2);
    expect(holes.isIn(KEY)).toBe(true);
    holes.areBack(KEY, 2);
    expect(holes.isIn(KEY)).toBe(false);
  });

  it('leave no hole once a report for all collections is back', async () => {
    const { holes, write } = open();
    await write();
    holes.areBack('', 2);
    expect(holes.isIn(KEY)).toBe(false);
  });

  it('are before a message only if they have ended and were reported before it', async () => {
    const { holes } = open();
    let end = () => {};
    const written = holes.write([KEY], () => new Promise<void>((resolve) => (end = resolve)));
    await setImmediate();
    expect(holes.areBefore(99)).toBe(false);
    end();
    await written;
    expect([holes.areBefore(2), holes.areBefore(3)]).toEqual([false, true]);
  });
});

describe('writes that the storage did not answer (LOG-11)', () => {
  it('are reported again once it makes no more writes', async () => {
    const { holes, events, settle } = open();
    await expect(holes.write([KEY], noAnswer)).rejects.toThrow('test');
    expect(events).toEqual([`report ${KEY}`, 'mark', `report ${KEY}`]);
    expect(holes.areBefore(99)).toBe(false);
    await settle();
    expect(events.at(-1)).toBe(`report ${KEY}`);
    expect(events).toHaveLength(4);
    expect(holes.areBefore(99)).toBe(true);
  });

  it('are one report for each collection, however many they are; later ones wait again', async () => {
    const { holes, events, settle } = open();
    const ended: string[] = [];
    holes.reportLater([KEY], () => ended.push('first'));
    holes.reportLater([KEY, 'shop/others'], () => ended.push('second'));
    await settle();
    // The first settling began with one write; the other one waited for the next.
    expect(ended).toEqual(['first']);
    holes.reportLater([KEY], () => ended.push('third'));
    await settle();
    expect(ended).toEqual(['first', 'second']);
    await settle();
    expect(ended).toEqual(['first', 'second', 'third']);
    expect(events).toEqual([`report ${KEY}`, `report ${KEY}`, 'report shop/others', `report ${KEY}`]);
  });
});

describe('writes without a record', () => {
  it('are awaited until all have ended, failed ones too', async () => {
    const { holes } = open();
    const ends: (() => void)[] = [];
    const pending = () => new Promise<void>((resolve, reject) => ends.push(resolve, () => reject(new Error('failed'))));
    const [one, two] = [holes.track(pending()), holes.track(pending())];
    let isOver = false;
    const ended = holes.unrecordedEnded().then(() => (isOver = true));
    ends[0]?.();
    await one;
    await setImmediate();
    expect(isOver).toBe(false);
    ends[3]?.();
    await expect(two).rejects.toThrow('failed');
    await ended;
  });
});
