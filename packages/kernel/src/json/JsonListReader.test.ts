import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { hasInfinity } from './hasInfinity.js';
import type { JsonValue } from './Json.js';
import { JsonListReader, type JsonListLimits } from './JsonListReader.js';

const LIMITS: JsonListLimits = { maxItems: 1_000_000, maxItemBytes: 1_048_576, take: () => true };

/** The value, `refused` if JSON.parse refuses it too, or the limit. */
function read(text: string | Buffer, chunkBytes = 7, limits: Partial<JsonListLimits> = {}): unknown {
  const reader = new JsonListReader({ ...LIMITS, ...limits });
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const problem = reader.push(bytes.subarray(at, at + chunkBytes));
    if (problem !== undefined) return typeof problem === 'string' ? problem : 'refused';
  }
  const outcome = reader.end();
  if (typeof outcome === 'string') return outcome;
  return 'value' in outcome ? outcome.value : 'refused';
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return hasInfinity(text, value as JsonValue) ? 'refused' : value;
  } catch {
    return 'refused';
  }
}

// Longer than the bytes collected before a parse, so that lists are cut in the middle.
const LONG = '"' + 'x'.repeat(16_400) + '"';

describe('JsonListReader', () => {
  it.each([
    '{"took":1,"hits":{"total":{"value":2},"hits":[{"_source":{"a":[1,[2]]}},{"b":[]}]},"e":[]}',
    '{"aggregations":{"by":{"buckets":[{"key":1,"h":{"hits":{"hits":[1,2]}}},{"key":2}]},"l":[1]}}',
    '{"hits":{"hits":[1e999]},"__proto__":{"__proto__":[1,{"__proto__":[2]}]}}',
    '{"a":{"b":{"c":[],"d":[ ]}},"c":[[1],[[2]]]}',
    `{"hits":{"hits":[${LONG},1,{"deep":${'['.repeat(200)}${']'.repeat(200)}},${LONG},{"b":2}]}}`,
    '{}',
  ])('reads what a store answers as JSON.parse does, lists at any depth', (text) => {
    for (const chunkBytes of [1, 7, 5_000, 1_000_000]) {
      const value = read(text, chunkBytes, { isTrusted: true });
      expect(value).toEqual(JSON.parse(text));
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it('parses the members of `buckets` from a store as they arrive', () => {
    const bucket = { key: 1, 'a"}': ['{', { buckets: { x: [] } }], deep: { buckets: [1, {}] } };
    const keys = Array.from({ length: 5_000 }, (_, n) => `k${n % 7 === 0 ? '"}{,' : ''}${n}`);
    const members = keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(bucket)}`);
    const keyed = `{"__proto__":{"a":1},"7":[],${members.join(',')}}`;
    const aggregations = `{"a":{"buckets":${keyed},"n":1},"f":{"g":{"buckets":${keyed}}},"e":{"buckets":{}},"buckets":{"v":1}}`;
    const text = `{"took":1,"hits":{"hits":[{"buckets":{"x":1}}]},"aggregations":${aggregations}}`;
    const parse = vi.spyOn(JSON, 'parse');
    for (const chunkBytes of [text.length, 65_536, 9_973]) {
      parse.mockClear();
      const value = read(text, chunkBytes, { isTrusted: true });
      const lengths = parse.mock.calls.map(([part]) => part.length);
      if (chunkBytes < text.length) expect(Math.max(...lengths)).toBeLessThan(100_000);
      expect(JSON.stringify(value) === JSON.stringify(JSON.parse(text))).toBe(true);
    }
    parse.mockRestore();
    for (const wrong of ['{"a":{"b":{"buckets":{"x":1]}}', '{"a":{"b":{"buckets":{"x":1,}}}}']) {
      expect(read(wrong, 100, { isTrusted: true })).toBe('refused');
    }
  });

  it('reads any object that a store answers as JSON.parse does', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 50 }), (value, chunkBytes) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(read(text, chunkBytes, { isTrusted: true }))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it.each([
    '{"bulkData":[{"create":{}},{"a":"é"}],"x":{"y":[1,[2]]},"e":[]}',
    '{"a":[1,2],"a":[3]}',
    '{"a":["]","\\"]","\\\\"],"b":"[,]"}',
    ' {"a" : [ 1 , [2,3] , {"b":[4]} ] , "__proto__" : [5] } ',
    '[1,2]',
    '"text"',
    '{"a":[1,,2]}',
    '{"a":[,1]}',
    '{"a":[1,]}',
    '{"a":[1}',
    '{"a":[1}}',
    '{"a":[1]]}',
    '{"a":[1',
    '{"a":["b',
    '{"a":1 [2]}',
    '{[1]:2}',
    '{"a":[1 2]}',
    '',
    `{"a":[${LONG},1,${LONG},{"b":2}]}`,
    `{"a":[${LONG},,1]}`,
    `{"a":[${LONG},]}`,
    `{"a":[,${LONG}]}`,
    `{"a":[1,,${LONG}]}`,
  ])('reads as JSON.parse does, whatever the chunks: %s', (text) => {
    for (const chunkBytes of [1, 7, 16_500, 100_000]) {
      expect(JSON.stringify(read(text, chunkBytes))).toBe(JSON.stringify(parsed(text)));
    }
  });

  it('reads random objects, and random damage, as JSON.parse does', () => {
    const noise = fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', '1', ' ');
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))),
        fc.nat(),
        noise,
        fc.integer({ min: 1, max: 30 }),
        (value, place, added, chunkBytes) => {
          const json = JSON.stringify(value);
          const at = place % (json.length + 1);
          const text = Buffer.from(json.slice(0, at) + added + json.slice(at)).toString();
          expect(read(text, chunkBytes)).toEqual(parsed(text));
        },
      ),
      { numRuns: 2_000, seed: 3 },
    );
  });

  it('refuses bytes that are not UTF-8, deep nesting and numbers beyond doubles', () => {
    expect(read(Buffer.from('7b2261223a5b22ff225d7d', 'hex'))).toBe('refused');
    expect(read(`{"a":[${'['.repeat(300)}${']'.repeat(300)}]}`)).toBe('refused');
    expect(read('{"a":[1e999]}')).toBe('refused');
  });

  it('stops at its limits: items of all lists, bytes of one item, memory', () => {
    const many = `{"a":[${Array(9_000).fill('{}').join(',')}],"b":[${Array(9_000).fill('1').join(',')}]}`;
    expect(read(many, 1_000, { maxItems: 17_999 })).toBe('tooManyItems');
    const whole = read(many, 1_000, { maxItems: 18_000 });
    expect(JSON.stringify(whole) === many).toBe(true);
    expect(read(`{"a":[1,"${'x'.repeat(60_000)}"]}`, 1_000, { maxItemBytes: 20_000 })).toBe('itemTooLarge');
    expect(read(`{"a":${LONG}}`, 1_000, { maxItemBytes: 16_000 })).toBe('itemTooLarge');
    let left = 100_000;
    const take = (bytes: number) => (left -= bytes) >= 0;
    expect(read(`{"a":[${Array(9_000).fill('{}').join(',')}]}`, 1_000, { take })).toBe('noMemory');
  });
});
