import { describe, expect, it } from 'vitest';
import { createRequest } from './createRequest.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';

const connection = { id: '1', protocol: 'test', remoteAddress: '' };
const make = (fields: RequestFields) => createRequest(fields, connection);

describe('createRequest (PROTO-1, PROTO-2)', () => {
  it('takes null as absent for every field', () => {
    const request = make({
      requestId: null,
      controller: 'server',
      action: 'now',
      index: null,
      collection: null,
      _id: null,
      body: null,
      metadata: null,
      jwt: null,
    });
    expect(request.fault).toBeNull();
    expect(request).toMatchObject({
      index: null,
      collection: null,
      body: null,
      metadata: {},
      token: null,
    });
  });

  it.each([
    ['controller', 5],
    ['action', {}],
    ['index', ['a']],
    ['collection', true],
    ['headers', 5],
    ['body', 'text'],
    ['body', []],
    ['metadata', 'x'],
    ['jwt', {}],
    ['requestId', ''],
    ['requestId', 'a'.repeat(129)],
    ['requestId', 'é'],
    ['requestId', 'line\nbreak'],
  ])('refuses %s = %j with a 400 that names it', (name, value) => {
    const { fault } = make({ controller: 'server', action: 'now', [name]: value });
    expect(fault).toMatchObject({ id: 'api.invalid_argument', status: 400 });
    expect(fault?.message).toContain(`"${name}"`);
  });

  it('generates a request id when none or a bad one is given', () => {
    const [a, b] = [make({}), make({ requestId: 'ü' })];
    expect(a.requestId).toMatch(/^[\w-]{36}$/);
    expect(b.requestId).toMatch(/^[\w-]{36}$/);
    expect(a.requestId).not.toBe(b.requestId);
  });

  it('reads the token from jwt or from headers.authorization', () => {
    expect(make({ jwt: 'abc' }).token).toBe('abc');
    expect(make({ headers: { authorization: 'bearer abc' } }).token).toBe('abc');
    for (const authorization of ['Basic abc', 'basic abc', 'Negotiate', 'Digest a="b.c"']) {
      expect(make({ headers: { authorization } }).token).toBeNull();
    }
    for (const authorization of ['', 'Bearer', 'bearer ', 'a.b.c', 7]) {
      expect(make({ headers: { authorization } }).token).toBe('');
    }
    expect(make({ jwt: '' }).token).toBe('');
    expect(make({ headers: {} }).token).toBeNull();
  });

  it('does not take inherited names for fields', () => {
    const fields = JSON.parse('{"__proto__": {"controller": "server"}, "action": "now"}') as RequestFields;
    expect(make(fields).controller).toBe('');
  });
});
