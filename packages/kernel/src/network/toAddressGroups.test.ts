import { describe, expect, it } from 'vitest';
import { toAddressGroups } from './toAddressGroups.js';

describe('toAddressGroups', () => {
  const mapped = [0, 0, 0, 0, 0, 0xffff, 0xcb00, 0x7109];
  it.each([
    ['203.0.113.9', mapped],
    ['::ffff:203.0.113.9', mapped],
    ['::FFFF:cb00:7109', mapped],
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
    ['2001:db8::', [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0]],
    ['2001:db8:1:2:3:4:5:6', [0x2001, 0xdb8, 1, 2, 3, 4, 5, 6]],
    ['fe80::1%eth0', [0xfe80, 0, 0, 0, 0, 0, 0, 1]],
  ])('reads %s', (address, groups) => {
    expect(toAddressGroups(address)).toEqual(groups);
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.256', '1::2::3', '[::1]'])('refuses %j', (address) => {
    expect(toAddressGroups(address)).toBeUndefined();
  });
});
