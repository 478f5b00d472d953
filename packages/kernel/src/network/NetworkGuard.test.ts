import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import { securityErrors } from '../contracts/security/errors.js';
import { storageErrors } from '../contracts/storage/errors.js';
import { NetworkGuard } from './NetworkGuard.js';

function request(headers: IncomingHttpHeaders, remoteAddress = '127.0.0.1'): IncomingMessage {
  return {
    method: 'GET',
    headers: { host: 'localhost', ...headers },
    socket: { remoteAddress },
  } as unknown as IncomingMessage;
}

const FOREIGN = request({ origin: 'http://evil.example' });
const NO_ORIGINS = {
  refusalOf: () => securityErrors.origin_refused({ reason: 'websocket.cors.origin is empty' }),
};

describe('NetworkGuard', () => {
  it('refuses foreign pages while the server is open, and says how to lock it', async () => {
    const guard = new NetworkGuard({ security: { isOpen: () => true } });
    expect(guard.refusalOf(request({}))).toBeUndefined();
    expect(guard.refusalOf(FOREIGN)).toMatchObject({
      id: 'security.origin_refused',
      status: 403,
      message: expect.stringMatching(/"http:\/\/evil\.example".*POST \/_createFirstAdmin/) as string,
    });
    expect(guard.refusalOf(request({ host: 'evil.example' }))).toMatchObject({
      message: expect.stringContaining('http.allowedHosts') as string,
    });
  });

  it('judges each request, whatever passed before', () => {
    const guard = new NetworkGuard({ security: { isOpen: () => true } });
    const foreign = [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-websocket-origin': 'null' },
      { host: 'evil.example' },
    ];
    for (let round = 0; round < 2; round++) {
      expect(guard.refusalOf(request({}))).toBeUndefined();
      for (const headers of foreign) {
        expect(guard.refusalOf(request(headers))).toMatchObject({ status: 403 });
      }
    }
  });

  it('asks a locked server once', () => {
    let questions = 0;
    const isOpen = () => questions++ < 1;
    const guard = new NetworkGuard({ security: { isOpen } });
    expect(guard.refusalOf(FOREIGN)).toMatchObject({ status: 403 });
    for (let each = 0; each < 5; each++) expect(guard.refusalOf(FOREIGN)).toBeUndefined();
    expect(questions).toBe(2);
  });

  it('notices by ordinary requests, too, that the server has been locked', async () => {
    let questions = 0;
    const guard = new NetworkGuard({ security: { isOpen: async () => questions++ < 0 } });
    void guard.refusalOf(request({}));
    await new Promise(setImmediate);
    expect([guard.refusalOf(FOREIGN), questions]).toEqual([undefined, 1]);
  });

  it('refuses where it cannot be known whether the server is open', async () => {
    const failure = storageErrors.unavailable({ reason: 'away' });
    const guard = new NetworkGuard({ security: { isOpen: () => Promise.reject(failure) } });
    await expect(guard.refusalOf(FOREIGN)).rejects.toBe(failure);
    expect(await guard.refusalOfHandshake(FOREIGN)).toBe(failure);
    expect(await guard.refusalOfHandshake(request({}))).toBeUndefined();
    const broken = new NetworkGuard({ security: { isOpen: () => Promise.reject(new Error('x')) } });
    expect(await broken.refusalOfHandshake(FOREIGN)).toMatchObject({ id: 'core.internal' });
  });

  it('holds handshakes to the configured origins, locked or not', async () => {
    const guard = new NetworkGuard();
    expect(await guard.refusalOfHandshake(FOREIGN)).toBeUndefined();
    expect(await guard.refusalOfHandshake(FOREIGN, NO_ORIGINS)).toMatchObject({
      status: 403,
      message: expect.stringContaining('websocket.cors.origin') as string,
    });
  });

  it('names the client behind a trusted proxy', () => {
    const guard = new NetworkGuard({ trustedProxies: ['10.0.0.0/8'] });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect(guard.addressOf(request(headers, '10.0.0.5'))).toBe('203.0.113.9');
    expect(guard.addressOf(request(headers, '192.0.2.5'))).toBe('192.0.2.5');
  });

  it('warns once of a proxy that a locked server does not trust', () => {
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (_: object, message: string) => warnings.push(message) };
    const guard = new NetworkGuard({ log });
    const forwarded = request({ 'x-forwarded-for': '203.0.113.9' }, '10.0.0.5');
    guard.addressOf(forwarded);
    expect([warnings, guard.warning]).toEqual([[], undefined]);
    // The guard learns at its first call that the server is locked.
    void guard.isOpen();
    guard.addressOf(request({}, '10.0.0.5'));
    expect(guard.warning).toBeUndefined();
    for (let each = 0; each < 3; each++) guard.addressOf(forwarded);
    expect(warnings).toEqual([
      'requests carry X-Forwarded-For but http.trustedProxies is empty: every client behind it counts as 10.0.0.5, in the limits on logins too',
    ]);
    expect(guard.warning).toMatch(/^(?!.*10\.0\.0\.5).*X-Forwarded-For/);
  });
});
