import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { parseNewApiKey } from './parseNewApiKey.js';

describe('parseNewApiKey', () => {
  it('reads the whole body, with defaults', () => {
    expect(parseNewApiKey({ name: 'ci' })).toEqual({
      name: 'ci',
      policies: null,
      expiresAtMs: undefined,
      allowedAddresses: null,
    });
    const body = {
      name: 'ci',
      policies: [{ roleId: 'reader' }],
      expiresAt: null,
      allowedAddresses: ['192.0.2.0/24', '2001:db8::1'],
    };
    expect(parseNewApiKey(body)).toEqual({
      name: 'ci',
      policies: [{ roleId: 'reader', restrictedTo: null }],
      expiresAtMs: null,
      allowedAddresses: body.allowedAddresses,
    });
  });

  it.each<[JsonObject, RegExp]>([
    [{}, /name: expected a string/],
    [{ name: ' ' }, /name: expected a string/],
    [{ name: 'x'.repeat(257) }, /name: expected a string of 1 to 256 characters/],
    [{ name: 'a', expires: 1 }, /expires is unknown: expected name, policies, expiresAt/],
    [{ name: 'a', expiresAt: '2 days' }, /expiresAt: expected a time in UTC milliseconds/],
    [{ name: 'a', expiresAt: 1.5 }, /expiresAt/],
    [{ name: 'a', allowedAddresses: [] }, /allowedAddresses: expected a list of 1 to 100/],
    [{ name: 'a', allowedAddresses: ['10.0.0.0/8, ::1'] }, /allowedAddresses/],
    [{ name: 'a', allowedAddresses: ['example.org'] }, /got "example\.org"/],
    [{ name: 'a', allowedAddresses: '10.0.0.1' }, /allowedAddresses/],
    [{ name: 'a', policies: [] }, /policies is empty/],
    [{ name: 'a', policies: Array(101).fill({ roleId: 'r' }) }, /policies: expected at most 100/],
  ])('refuses %j', (body, message) => {
    expect(() => parseNewApiKey(body)).toThrow(message);
  });
});
