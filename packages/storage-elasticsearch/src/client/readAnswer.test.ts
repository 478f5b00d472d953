import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './readAnswer.js';

const MIB = 2 ** 20;

/** An answer in chunks as they come from a socket. */
function answerOf(text: string, statusCode = 200) {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
  return { statusCode, headers: {}, body: Readable.from(chunks) };
}

/** Some MiB of hits. */
function longAnswer(mib: number): string {
  const _source = { list: Array.from({ length: 1_000 }, (_, n) => ({ n })) };
  const hit = JSON.stringify({ _id: '1', _source });
  const hits = Array<string>(Math.ceil((mib * MIB) / hit.length)).fill(hit);
  return `{"hits":{"total":{"value":1},"hits":[${hits.join(',')}]},"timed_out":false}`;
}

describe('readAnswer', () => {
  it('reads a long answer as a short one', async () => {
    for (const text of [longAnswer(2), '{"hits":{"hits":[]}}', '[1]', `[${longAnswer(1)}]`]) {
      expect(await readAnswer(answerOf(text), 64 * MIB)).toEqual(JSON.parse(text));
    }
  });

  it('lets other work run while it parses a long answer', async () => {
    let turnCount = 0;
    let isDone = false;
    const count = () => {
      turnCount++;
      if (!isDone) setImmediate(count);
    };
    const answer = answerOf(longAnswer(16));
    setImmediate(count);
    await readAnswer(answer, 64 * MIB);
    isDone = true;
    expect(turnCount).toBeGreaterThan(5);
  });

  it('refuses what is too large, cut off or no JSON', async () => {
    const text = longAnswer(2);
    await expect(readAnswer(answerOf(text), MIB)).rejects.toMatchObject({ isOversized: true });
    const cut = answerOf(text.slice(0, -MIB));
    await expect(readAnswer(cut, 64 * MIB)).rejects.toBeInstanceOf(SyntaxError);
    await expect(readAnswer(answerOf(`${text}}`), 64 * MIB)).rejects.toBeInstanceOf(SyntaxError);
    await expect(readAnswer(answerOf(text, 500), 64 * MIB)).rejects.toMatchObject({
      statusCode: 500,
    });
  });
});
