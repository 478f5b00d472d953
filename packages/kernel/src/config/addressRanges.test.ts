import { describe, expect, it } from 'vitest';
import { addressRanges, parseAddressRanges } from './addressRanges.js';

describe('parseAddressRanges', () => {
  it('reads addresses and ranges, as a list or separated by commas', () => {
    const expected = [
      { address: '10.0.0.0', family: 'ipv4', prefixLength: 8 },
      { address: '::1', family: 'ipv6', prefixLength: 128 },
    ];
    expect(parseAddressRanges('10.0.0.0/8, ::1')).toEqual(expected);
    expect(parseAddressRanges(['10.0.0.0/8', '::1/128', ''])).toEqual(expected);
    expect(parseAddressRanges('')).toEqual([]);
  });

  it.each([
    'localhost',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'fe80::1%eth0',
    [7],
    7,
    null,
  ])('refuses %j', (value) => {
    expect(parseAddressRanges(value)).toBeUndefined();
    expect(() => addressRanges(value)).toThrow('CIDR');
  });
});
