import { describe, expect, it } from 'vitest';
import { joinedTextFrame, textFrame, textFrameInRoom } from './frame.js';

/** The payload of an unmasked text frame, after checking its length (RFC 6455 section 5.2). */
function payloadOf(frame: Buffer): string {
  expect(frame[0]).toBe(0x81);
  const short = frame[1] as number;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  const length = short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  expect(frame.length).toBe(start + length);
  return frame.toString('utf8', start);
}

const TEXTS = ['', 'plain', '\u0000\u007f', 'caf\u00e9 \u00ff', '漢字 ✓ 😀', 'x\u0080'];
const LENGTHS = [0, 1, 123, 124, 125, 126, 127, 65_533, 65_535, 65_536, 70_000];

describe('text frames', () => {
  it.each(TEXTS)('hold %j as UTF-8', (text) => {
    for (const length of LENGTHS) {
      const whole = text + 'y'.repeat(length);
      expect(payloadOf(textFrame(whole))).toBe(whole);
      expect(payloadOf(joinedTextFrame(text, Buffer.from('y'.repeat(length))))).toBe(whole);
    }
  });

  it.each(TEXTS)('hold the envelope %j in a room', (text) => {
    for (const room of TEXTS) {
      for (const length of LENGTHS) {
        const frame = textFrameInRoom(`{${room},`, `{${text}${'y'.repeat(length)}`);
        expect(payloadOf(frame)).toBe(`{${room},${text}${'y'.repeat(length)}`);
      }
    }
  });

  it('hold half a surrogate pair as the character that stands for what UTF-8 can’t hold', () => {
    expect(payloadOf(textFrame('a\ud800'))).toBe('a\ufffd');
  });
});
