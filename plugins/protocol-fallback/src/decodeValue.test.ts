import { describe, expect, it } from 'vitest';
import { decodeValue } from './decodeValue.js';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('decodeValue', () => {
  it('takes a JSON object as it is', () => {
    const value = { controller: 'server', action: 'now', body: { a: [null, true, 'é', 1.5] } };
    const { fields, fault, bytes } = decodeValue(value);
    expect([fields, fault]).toEqual([value, undefined]);
    expect(bytes).toBeGreaterThan(JSON.stringify(value).length / 2);
  });

  it.each([
    [undefined, 'absent'],
    [null, 'null'],
    ['text', 'a string'],
    [7, 'a number'],
    [[{}], 'an array'],
  ])('refuses %j: it is %s', (value, kind) => {
    const { fields, fault } = decodeValue(value);
    expect(fields).toEqual({});
    expect(fault).toMatchObject({ id: 'api.invalid_request', status: 400 });
    expect(fault?.message).toContain(kind);
  });

  it('takes 200 levels, not 201, and survives 200,000', () => {
    expect(decodeValue({ body: nested(199) }).fault).toBeUndefined();
    for (const depth of [200, 201, 200_000]) {
      expect(decodeValue({ body: nested(depth) }).fault?.message).toContain('200 levels');
    }
  });

  it('a message that is refused keeps the strings that its answer repeats', () => {
    const texts = { requestId: 'r', controller: 'document', action: 'create', index: 'i' };
    const { fields } = decodeValue({ ...texts, collection: 7, jwt: 'x', body: nested(201) });
    expect(fields).toEqual(texts);
    expect(decodeValue({ requestId: 'connect', body: nested(201) }).fields).toEqual({
      requestId: null,
    });
  });

  it.each([
    [{ a: [Infinity] }, 'doubles'],
    [{ a: -Infinity }, 'doubles'],
    [{ a: Buffer.from('x') }, 'binary'],
    [{ a: { b: new ArrayBuffer(2) } }, 'binary'],
  ])('refuses %j', (value, problem) => {
    expect(decodeValue(value).fault?.message).toContain(problem);
  });

  it('refuses a requestId that socket.io keeps for itself, but keeps the rest of the message (PROTO-56)', () => {
    const { fields, fault } = decodeValue({ requestId: 'disconnect', action: 'now' });
    expect(fault).toMatchObject({ id: 'api.invalid_argument', status: 400 });
    expect(fault?.message).toContain('requestId');
    expect(fields).toEqual({ requestId: null, action: 'now' });
    expect(decodeValue({ requestId: 'disconnected' }).fault).toBeUndefined();
  });
});
