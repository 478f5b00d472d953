import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/Json.js';
import { ByteBudget } from '../concurrency/ByteBudget.js';
import { createRequest } from './createRequest.js';
import { DeferredMessage } from './DeferredMessage.js';
import { encodeInParts, isLongMessage } from './encodeInParts.js';
import { encodeMessage } from './encodeMessage.js';
import { JsonText, type JsonPart } from '../json/JsonText.js';
import type { ResponseMessage } from '../contracts/request/Response.js';

const request = createRequest(
  { requestId: 'r', controller: 'c', action: 'a' },
  { id: '1', protocol: 'test', remoteAddress: '' },
);
const { ...EMPTY } = new DeferredMessage(request, new JsonText('null'));

function messageOf(result: JsonValue): ResponseMessage {
  return { ...EMPTY, result };
}

function deferred(...content: JsonPart[]): DeferredMessage {
  return new DeferredMessage(request, new JsonText(content));
}

async function encode(message: ResponseMessage, budget = new ByteBudget(1e9), isGone = () => false) {
  const account = budget.open('127.0.0.1');
  const parts = await encodeInParts(message, account, isGone);
  return { text: parts && Buffer.concat(parts).toString(), parts, held: account.heldBytes };
}

describe('encodeInParts', () => {
  it('gives the same bytes as JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 7 }), async (value) => {
        const message = messageOf(value as JsonValue);
        const { text, held } = await encode(message);
        expect(text).toBe(JSON.stringify(message));
        expect(held).toBe(Buffer.byteLength(text ?? ''));
      }),
    );
  });

  it.each([65_535, 65_536, 65_537])('does not part surrogate pairs at character %i', async (at) => {
    const long = `${'x'.repeat(at)}😀`.repeat(5);
    for (const message of [messageOf(long), messageOf({ a: [long] }), deferred(JSON.stringify(long))]) {
      expect((await encode(message)).text).toBe(encodeMessage(message));
    }
  });

  it('keeps lone surrogates as escapes', async () => {
    const message = messageOf(`${'x'.repeat(65_535)}\ud800\ud800${'y'.repeat(10)}`);
    expect((await encode(message)).text).toBe(JSON.stringify(message));
  });

  it('passes long parts that are bytes on as they are, and copies short ones', async () => {
    const long = Buffer.from(JSON.stringify('é'.repeat(50_000)));
    const short = Buffer.from('"ö"');
    const { text, parts } = await encode(deferred('[', long, ',', short, ',', long, ']'));
    expect(JSON.parse(text ?? '')).toMatchObject({ result: ['é'.repeat(50_000), 'ö', 'é'.repeat(50_000)] });
    expect(parts?.filter(({ buffer }) => buffer === long.buffer)).toHaveLength(2);
    expect(parts?.filter(({ buffer }) => buffer === short.buffer)).toHaveLength(0);
  });

  it('passes on chunks of 256 KiB of bytes at most', async () => {
    const long = Buffer.from(JSON.stringify('é'.repeat(500_000)));
    const { text, parts = [] } = await encode(deferred(long));
    expect(JSON.parse(text ?? '')).toMatchObject({ result: 'é'.repeat(500_000) });
    expect(Math.max(...parts.map(({ length }) => length))).toBe(262_144);
  });

  it('is the same text over many chunks', async () => {
    const list = Array.from({ length: 20_000 }, (_, n) => ({
      n,
      t: 'é✓'.repeat(n % 40),
      u: undefined,
    }));
    const message = messageOf({ list, last: 'x'.repeat(1_000_000) } as unknown as JsonValue);
    const { text, parts } = await encode(message);
    expect(text === JSON.stringify(message)).toBe(true);
    expect(parts?.length).toBeLessThan(30);
  });

  it('pauses, so that others get their turn', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await encode(messageOf(Array.from({ length: 2_000_000 }, (_, n) => n)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it('ends where the client has left, or the share of its address is used up', async () => {
    const message = messageOf(Array.from({ length: 2_000_000 }, (_, n) => n));
    expect((await encode(message, undefined, () => true)).text).toBeUndefined();
    const budget = new ByteBudget(3_000_000);
    const { text, held } = await encode(message, budget);
    expect([text, held > 0]).toEqual([undefined, true]);
    expect(budget.heldBytes).toBeLessThanOrEqual(3_000_000);
  });
});

describe('isLongMessage', () => {
  it.each<[boolean, ResponseMessage]>([
    [false, messageOf({ hits: [1, 2] })],
    [false, messageOf('short')],
    [false, messageOf(null)],
    [false, deferred('{}')],
    [true, messageOf('x'.repeat(20_000))],
    [true, messageOf(Array.from({ length: 300 }, () => 0))],
    [true, messageOf({ hits: Array.from({ length: 300 }, () => 0) })],
    [true, deferred('x'.repeat(300_000))],
    [
      true,
      {
        ...EMPTY,
        error: {
          id: 'a.b',
          status: 206,
          message: '',
          details: Array.from({ length: 300 }, () => 0),
        },
      },
    ],
  ])('%s', (isLong, message) => {
    expect(isLongMessage(message)).toBe(isLong);
  });
});
