import { describe, expect, it } from 'vitest';
import { Lifetime } from '@millrace/kernel';
import { Channel } from '../rooms/Channel.js';
import type { ChannelOptions } from '../rooms/ChannelOptions.js';
import type { Subscription } from '../rooms/Membership.js';
import type { Room } from '../rooms/Room.js';
import { openTestRealtime } from './openTestRealtime.test.support.js';
import { Resumes } from './Resumes.js';

/** 1 MiB. */
const TEXT = JSON.stringify('x'.repeat(2 ** 20 - 2));

function open() {
  const resumes = openTestRealtime().container.resolve(Resumes);
  let count = 0;
  /** A subscription that resumes, of a client at this address. */
  return (remoteAddress: string) => {
    const id = `c${++count}`;
    const room = { rightId: '' } as Room;
    const connection = { id, protocol: 'test', remoteAddress, lifetime: new Lifetime() };
    const channel = new Channel(id, room, {} as ChannelOptions);
    const subscription = { channel, membership: { connection, room } } as unknown as Subscription;
    return resumes.hold(subscription, undefined);
  };
}

describe('live notifications of a subscription that resumes (RESUME-11)', () => {
  it('are kept up to 8 MiB', () => {
    const held = open()('10.0.0.1');
    for (let n = 0; n < 7; n++) held.take(TEXT, undefined);
    expect(held.isOverfull).toBe(false);
    held.take(TEXT, undefined);
    expect(held.isOverfull).toBe(true);
    expect(held.passNext()).toBe(false);
  });

  it('leave room for those of other addresses', () => {
    const hold = open();
    const greedy = Array.from({ length: 10 }, () => hold('10.0.0.1'));
    for (let n = 0; n < 7; n++) for (const each of greedy) each.take(TEXT, undefined);
    const kept = greedy.filter(({ isOverfull }) => !isOverfull);
    expect(kept.length).toBeGreaterThanOrEqual(5);
    expect(kept.length).toBeLessThan(10);
    const other = hold('10.0.0.2');
    for (let n = 0; n < 7; n++) other.take(TEXT, undefined);
    expect(other.isOverfull).toBe(false);
  });

  it('count until they are sent or dropped', () => {
    const hold = open();
    for (let n = 0; n < 100; n++) {
      const held = hold('10.0.0.1');
      for (let m = 0; m < 7; m++) held.take(TEXT, undefined);
      expect(held.isOverfull).toBe(false);
      if (n % 2 === 0) held.drop();
      else while (held.passNext());
    }
  });
});
