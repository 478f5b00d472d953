import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { TrustedProxies } from './TrustedProxies.js';

const proxies = new TrustedProxies('10.0.0.0/8, 127.0.0.1, 2001:db8:f::/48');
const PEER = '10.0.0.5';

describe('TrustedProxies (SEC-70)', () => {
  it.each([
    ['one hop', '203.0.113.9', '203.0.113.9'],
    ['the rightmost untrusted one', '198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['never what the client put in front', '10.9.9.9, 1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['an IPv6 client', '2001:db8::9', '2001:db8::9'],
    ['a port after the address', '203.0.113.9:4711', '203.0.113.9'],
    ['a port after an IPv6 address', '[2001:db8::9]:4711', '2001:db8::9'],
    ['the farthest trusted one where all are', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['the last valid hop before a malformed entry', '203.0.113.9, x, 10.2.2.2', '10.2.2.2'],
    ['the peer where the nearest entry is malformed', '203.0.113.9, 300.1.1.1', PEER],
    ['the peer for an empty header', '', PEER],
    ['the peer for "unknown"', 'unknown', PEER],
  ])('X-Forwarded-For: takes %s', (_, header, address) => {
    expect(proxies.sourceOf(PEER, { 'x-forwarded-for': header }).address).toBe(address);
  });

  it.each([
    ['an address', 'for=203.0.113.9', '203.0.113.9'],
    ['names in any case', 'For="203.0.113.9:80";Proto=https', '203.0.113.9'],
    ['IPv6 in brackets', 'for="[2001:db8::9]:4711"', '2001:db8::9'],
    ['the rightmost untrusted one', 'for=1.1.1.1, for=203.0.113.9;by=10.0.0.5, for=10.1.1.1', '203.0.113.9'],
    ['the last valid hop before a hidden one', 'for=203.0.113.9, for=_hidden, for=10.1.1.1', '10.1.1.1'],
    ['the peer where nothing names the client', 'proto=https', PEER],
    ['what proxies append to an open quote', 'for="1.1.1.1, for=203.0.113.9', '203.0.113.9'],
    ['the peer for an endless element', `for=203.0.113.9;x="${'\\"'.repeat(5_000)}`, PEER],
  ])('Forwarded: takes %s', (_, header, address) => {
    expect(proxies.sourceOf(PEER, { forwarded: header }).address).toBe(address);
  });

  it('believes neither header where both are there and disagree', () => {
    const headers = (forwarded: string) => ({ forwarded, 'x-forwarded-for': '203.0.113.9' });
    expect(proxies.sourceOf(PEER, headers('for=203.0.113.9')).address).toBe('203.0.113.9');
    expect(proxies.sourceOf(PEER, headers('for=198.51.100.1')).address).toBe(PEER);
  });

  it('ignores the headers of other peers', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9;host=a' };
    for (const peer of ['11.0.0.1', '2001:db8::1', '', 'socket']) {
      expect(proxies.sourceOf(peer, headers)).toEqual({ address: peer, forwardedHost: undefined });
    }
    expect(new TrustedProxies().sourceOf(PEER, headers).address).toBe(PEER);
  });

  it('knows a proxy in every spelling of its address', () => {
    const known = ['10.255.0.1', '::ffff:10.0.0.1', '127.0.0.1', '2001:db8:f:1::9', '2001:DB8:F::1'];
    const unknown = ['127.0.0.2', '::1', '2001:db8:e::1', 'fe80::1%eth0'];
    expect([...known, ...unknown].filter((address) => proxies.has(address))).toEqual(known);
  });

  it('takes the host that the client named from the same hop', () => {
    const host = (headers: IncomingHttpHeaders) => proxies.sourceOf(PEER, headers).forwardedHost;
    expect(host({ forwarded: 'for=203.0.113.9;host=a.example:8443, for=10.1.1.1;host=b' })).toBe('a.example:8443');
    expect(host({ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'a.example' })).toBe('a.example');
    expect(host({ 'x-forwarded-for': '203.0.113.9, 10.1.1.1', 'x-forwarded-host': 'a, b' })).toBe('a');
    expect(host({ 'x-forwarded-for': '203.0.113.9, 10.1.1.1', 'x-forwarded-host': 'a' })).toBe('a');
    expect(host({ 'x-forwarded-host': 'a' })).toBeUndefined();
  });

  it('takes bounded time for a hostile header', () => {
    // CPU time: other processes don't count.
    const before = process.cpuUsage();
    for (let round = 0; round < 100; round++) {
      proxies.sourceOf(PEER, { 'x-forwarded-for': '10.1.1.1,'.repeat(1_600) });
      proxies.sourceOf(PEER, { forwarded: 'for="'.repeat(3_200) });
    }
    expect(process.cpuUsage(before).user / 1_000 / 100).toBeLessThan(20);
  });
});
