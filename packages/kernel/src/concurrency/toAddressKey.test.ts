import { describe, expect, it } from 'vitest';
import { toAddressKey, toNetworkKey } from './toAddressKey.js';

describe('toAddressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['a socket', 'a socket'],
  ])('counts %j as %j', (address, key) => {
    expect(toAddressKey(address)).toBe(key);
  });
});

it.each([
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['0:0:0:0::/64', '0:0:0::/48'],
  ['192.0.2.1', '192.0.2.1'],
])('toNetworkKey: %j belongs to %j', (key, network) => {
  expect(toNetworkKey(key)).toBe(network);
});
