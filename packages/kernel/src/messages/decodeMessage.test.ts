import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decodeMessage.js';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('decodeMessage', () => {
  it.each([
    [nested(200), '200 levels'],
    ['1e999', 'doubles'],
  ])('a message whose body can not be taken keeps its requestId', (body, problem) => {
    const text = `{"requestId":"mine","controller":"document","body":{"a":${body}},"action":"create"}`;
    const { fields, fault } = decodeMessage(Buffer.from(text));
    expect(fault?.message).toContain(problem);
    expect({ ...fields }).toEqual({
      requestId: 'mine',
      controller: 'document',
      action: 'create',
    });
  });

  it('what is no JSON has no fields', () => {
    const { fields, fault } = decodeMessage(Buffer.from('{"requestId":"mine",'));
    expect([fields, fault?.id]).toEqual([{}, 'api.malformed_json']);
  });
});
