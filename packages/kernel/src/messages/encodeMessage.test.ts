import { describe, expect, it } from 'vitest';
import { createRequest } from './createRequest.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import { DeferredMessage } from './DeferredMessage.js';
import { encodeMessage, resultLengthOf } from './encodeMessage.js';
import { JsonText } from '../json/JsonText.js';

const connection = { id: '1', protocol: 'test', remoteAddress: '' };
const RESULT = '{"a":[1,{"__proto__":"é\\"✓\\ud800"}],"b":null}';

function deferred(fields: RequestFields, text = RESULT) {
  const content = new JsonText(text);
  return { content, message: new DeferredMessage(createRequest(fields, connection), content) };
}

describe('encodeMessage', () => {
  it.each([
    { controller: 'document', action: 'get', requestId: 'r' },
    { controller: 'c', action: 'a', requestId: 'r"\\', index: 'i', collection: 'C"\u2028\ud800' },
    { controller: 'c', action: 'a', requestId: 'r', metadata: { m: [1, 'é'], n: {} } },
    { controller: 'c', action: 'a', requestId: 'r', metadata: {} },
  ])('gives the same text of %j as JSON.stringify of all its fields', (fields) => {
    const { message } = deferred(fields);
    const plain = {
      ...{ requestId: fields.requestId, status: 200, error: null },
      ...{ controller: fields.controller, action: fields.action },
      ...{ index: fields.index ?? null, collection: fields.collection ?? null },
      ...{ metadata: fields.metadata ?? {}, state: 'done' },
      result: JSON.parse(RESULT) as unknown,
    };
    expect(encodeMessage(message)).toBe(JSON.stringify(plain));
    expect(JSON.stringify(message)).toBe(JSON.stringify(plain));
    expect(encodeMessage({ ...message })).toBe(JSON.stringify(plain));
    expect({ ...message }).toEqual(plain);
    expect(structuredClone(message)).toEqual(plain);
  });

  it('writes the error of a request that failed in part', () => {
    const error = { id: 'document.partial_failure', status: 206, message: 'é' };
    const fields = { controller: 'c', action: 'a', requestId: 'r' };
    const request = createRequest(fields, connection);
    const message = new DeferredMessage(request, new JsonText(RESULT), error);
    expect(message).toMatchObject({ status: 206, error });
    expect(encodeMessage(message)).toBe(JSON.stringify(message));
  });

  it.each([
    { jwt: 'token' },
    { replayed: true as const },
    { error: { id: 'a.b', status: 404, message: 'é "' }, status: 404, controller: null },
    { result: undefined as never },
    { result: ['a', 1, null, { b: 'é' }] },
  ])('writes %j as JSON.stringify does', (changes) => {
    const { message } = deferred({ controller: 'c', action: 'a', requestId: 'r"' }, '{"a":1}');
    const changed = { ...message, ...changes };
    expect(encodeMessage(changed)).toBe(JSON.stringify(changed));
  });

  it('does not read a result that is text already', () => {
    const { message } = deferred({ requestId: 'r' }, 'not JSON at all');
    expect(encodeMessage(message)).toContain('"result":not JSON at all}');
    expect(() => message.result).toThrow(SyntaxError);
  });

  it('reads a result that is asked for once', () => {
    const { message, content } = deferred({ requestId: 'r' });
    expect(message.result).toEqual({ a: [1, JSON.parse('{"__proto__":"é\\"✓\\ud800"}')], b: null });
    expect(message.result).toBe(content.value);
    expect({ ...message }.result).toBe(content.value);
  });

  it('measures a result before it is encoded, where that costs nothing', () => {
    const { message } = deferred({ requestId: 'r' });
    expect(resultLengthOf(message)).toBe(RESULT.length);
    expect(resultLengthOf({ ...message, result: 'four' })).toBe(4);
    expect(resultLengthOf({ ...message, result: { a: 1 } })).toBe(0);
  });
});
