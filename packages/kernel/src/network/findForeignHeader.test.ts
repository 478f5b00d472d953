import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findForeignHeader, type OriginFacts } from './findForeignHeader.js';

const HOST = '127.0.0.1:7511';
const FACTS: OriginFacts = {
  method: 'POST',
  allowedHosts: new Set(['data.example']),
  isOwnAddress: (address) => address === '192.0.2.7' || address === '2001:db8::7',
};

const decide = (headers: IncomingHttpHeaders, facts: Partial<OriginFacts> = {}) =>
  findForeignHeader({ host: HOST, ...headers }, { ...FACTS, ...facts });

describe('findForeignHeader (SEC-4)', () => {
  it.each([
    ['no browser at all', {}],
    ['no Host, as in HTTP/1.0', { host: undefined }],
    ['a page of localhost, on any port', { origin: 'http://localhost:5173' }],
    ['a page of 127.0.0.0/8', { origin: 'https://127.8.9.1' }],
    ['a page of ::1', { origin: 'http://[::1]:3000' }],
    ['a page of localhost that calls 127.0.0.1', { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' }],
    ['a page of an address of this machine', { origin: 'http://192.0.2.7:3000', host: '192.0.2.7:7511' }],
    ['IPv6 addresses too', { origin: 'http://[2001:db8::7]', host: '[2001:DB8:0::7]:7511' }],
    ['a page of an allowed host', { origin: 'https://data.example', host: 'DATA.example' }],
    ['a program that names an allowed host', { host: 'data.example:443' }],
    ['other values of Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
  ])('lets in %s', (_, headers) => {
    expect(decide(headers)).toBeUndefined();
  });

  it.each([
    ['Origin "http://evil.example"', { origin: 'http://evil.example' }],
    ['Origin "null"', { origin: 'null' }],
    ['Origin ""', { origin: '' }],
    ['Origin "file://"', { origin: 'file://' }],
    ['Origin "http://localhost.evil.example"', { origin: 'http://localhost.evil.example' }],
    ['Origin "http://127.0.0.1.evil.example"', { origin: 'http://127.0.0.1.evil.example' }],
    ['Origin "http://localhost@evil.example"', { origin: 'http://localhost@evil.example' }],
    // Not the host that the request names, although the server would accept that one.
    ['Origin "http://data.example"', { origin: 'http://data.example' }],
    ['Origin "http://192.0.2.7"', { origin: 'http://192.0.2.7' }],
    ['Origin "http://evil.example"', { 'sec-websocket-origin': 'http://evil.example' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['Host "rebind.evil.example"', { host: 'rebind.evil.example' }],
    ['Host "evil.example:7511"', { host: 'evil.example:7511', origin: 'http://evil.example:7511' }],
    ['Host "localhost.evil.example"', { host: 'localhost.evil.example' }],
    ['Host "192.0.2.8:7511"', { host: '192.0.2.8:7511' }],
    ['Host "[2001:db8::8]"', { host: '[2001:db8::8]' }],
    ['Host "evil@localhost"', { host: 'evil@localhost' }],
    ['Host "localhost:x"', { host: 'localhost:x' }],
  ])('refuses %s', (expected, headers) => {
    expect(decide(headers as IncomingHttpHeaders)).toBe(expected);
  });

  describe('top-level navigations', () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const get = { method: 'GET' };

    it('pass by GET', () => {
      expect(decide(link, get)).toBeUndefined();
      expect(decide({ ...link, 'sec-fetch-dest': 'document' }, get)).toBeUndefined();
    });

    it('do not pass where they are frames, or name another host', () => {
      expect(decide({ ...link, 'sec-fetch-dest': 'iframe' }, get)).toBe('Sec-Fetch-Site: cross-site');
      // After DNS rebinding, a page can read windows of the same origin.
      expect(decide({ ...link, host: 'evil.example' }, get)).toBe('Host "evil.example"');
    });
  });

  describe('behind a trusted proxy', () => {
    it('the host that the client named counts as well', () => {
      const origin = 'https://data.example';
      expect(decide({ origin }, { forwardedHost: 'data.example' })).toBeUndefined();
      expect(decide({}, { forwardedHost: 'evil.example' })).toBe('Host "evil.example"');
    });

    it('and does not make up for a foreign Host', () => {
      const forwardedHost = 'localhost';
      expect(decide({ host: 'evil.example' }, { forwardedHost })).toBe('Host "evil.example"');
    });
  });

  it('shows no more than 100 characters of a header', () => {
    expect(decide({ origin: `http://${'x'.repeat(10_000)}` })?.length).toBeLessThan(120);
  });
});
