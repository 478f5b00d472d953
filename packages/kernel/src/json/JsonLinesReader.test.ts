import { describe, expect, it } from 'vitest';
import { JsonLinesReader } from './JsonLinesReader.js';

function read(text: string | Buffer, chunkBytes: number, limits: object = {}) {
  const all = { maxItems: 100, maxItemBytes: 1_000, take: () => true, ...limits };
  const reader = new JsonLinesReader('items', all);
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const problem = reader.push(bytes.subarray(at, at + chunkBytes));
    if (problem !== undefined) return { problem, place: reader.place };
  }
  const outcome = reader.end();
  if (typeof outcome === 'object' && 'value' in outcome) return outcome.value;
  return { problem: outcome, place: reader.place };
}

// For any chunk size: a line, a character and a CRLF may be split across two chunks.
describe.each([1, 2, 3, 7, 4_096])('JsonLinesReader, in chunks of %d bytes', (chunkBytes) => {
  it.each([
    ['{"a":1}\n{"b":"é\\n😀"}\n', [{ a: 1 }, { b: 'é\n😀' }]],
    ['{"a":1}\r\n[2]\r\n', [{ a: 1 }, [2]]],
    ['\ufeff{"a":1}', [{ a: 1 }]],
    ['1\n"x"\nnull\n\n \r\n\t\n', [1, 'x', null]],
    ['', []],
    ['\n\n', []],
    [' {"a": 1} \n', [{ a: 1 }]],
  ])('gives the values of %j', (text, items) => {
    expect(read(text, chunkBytes)).toEqual({ items });
  });

  it.each([
    ['{}\n{"a":\n{}\n', 'line 2: '],
    ['{}\n\n{}\n', 'line 2: it is empty'],
    ['\n{}\n', 'line 1: it is empty'],
    ['{}\n{} {}\n', 'line 2: '],
    [`{}\n${'['.repeat(201)}${']'.repeat(201)}\n`, 'line 2: it is nested deeper than 200 levels'],
    ['{}\n1e999\n', 'line 2: it has a number beyond'],
    [Buffer.from([0x7b, 0x7d, 0x0a, 0x22, 0xff, 0x22, 0x0a]), 'line 2: it is not valid UTF-8'],
  ])('names the line of what is wrong in %j', (text, start) => {
    const { problem } = read(text, chunkBytes) as { problem: { problem: string } };
    expect(problem.problem.startsWith(start), problem.problem).toBe(true);
  });

  it('keeps its limits', () => {
    const long = `{}\n"${'x'.repeat(1_000)}"`;
    expect(read(long, chunkBytes)).toEqual({ problem: 'itemTooLarge', place: 'line 2' });
    expect(read(`${long}\n`, chunkBytes)).toEqual({ problem: 'itemTooLarge', place: 'line 2' });
    expect(read('1\n2\n3\n', chunkBytes, { maxItems: 2 })).toEqual({ problem: 'tooManyItems', place: 'line 3' });
  });

  it('asks for memory before each line is parsed', () => {
    const taken: number[] = [];
    const take = (bytes: number) => taken.push(bytes) < 2;
    expect(read('{}\n{"a":[{},{}]}\n{}', chunkBytes, { take })).toMatchObject({ problem: 'noMemory' });
    expect(taken[0]).toBeGreaterThan(50);
    expect(taken[1]).toBeGreaterThan((taken[0] ?? 0) + 100);
  });
});
