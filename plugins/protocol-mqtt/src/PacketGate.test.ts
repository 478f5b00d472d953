import { describe, expect, it } from 'vitest';
import { PacketGate } from './PacketGate.js';

const PACKETS = [
  Buffer.from([0xc0, 0]),
  Buffer.concat([Buffer.from([0x30, 5]), Buffer.alloc(5, 1)]),
  Buffer.concat([Buffer.from([0x30, 0xc8, 0x01]), Buffer.alloc(200, 2)]),
  Buffer.concat([Buffer.from([0x30, 0x80, 0x80, 0x01]), Buffer.alloc(16_384, 3)]),
];

function gateOf(maxBytes = 1_000_000) {
  const out: Buffer[] = [];
  return {
    gate: new PacketGate(
      () => maxBytes,
      (bytes) => out.push(bytes),
    ),
    out,
  };
}

describe('PacketGate', () => {
  it.each([1, 2, 3, 7, 100, 5_000, 100_000])(
    'gives whole packets whatever the chunks, here of %i bytes',
    (chunkBytes) => {
      const packets = [...PACKETS, ...PACKETS];
      const all = Buffer.concat(packets);
      const ends = new Set([0]);
      let end = 0;
      for (const { length } of packets) ends.add((end += length));
      const { gate, out } = gateOf();
      const wrong: object[] = [];
      for (let at = 0; at < all.length; at += chunkBytes) {
        const outcome = gate.take(all.subarray(at, at + chunkBytes));
        const given = out.reduce((sum, { length }) => sum + length, 0);
        const { incompleteBytes } = gate;
        const isKept = given + incompleteBytes === Math.min(at + chunkBytes, all.length);
        if (outcome !== 'fine' || !ends.has(given) || !isKept) wrong.push({ at, outcome, given, incompleteBytes });
      }
      expect(wrong).toEqual([]);
      expect(Buffer.concat(out).equals(all)).toBe(true);
    },
  );

  it('refuses a packet as soon as its header announces too much, after those before it', () => {
    const { gate, out } = gateOf(100);
    const ping = PACKETS[0] as Buffer;
    expect(gate.take(Buffer.concat([ping, Buffer.from([0x30, 0xc8])]))).toBe('fine');
    expect(gate.take(Buffer.from([0x01]))).toBe('tooLarge');
    expect(out).toEqual([ping]);
    expect(gateOf(100).gate.take(Buffer.from([0x30, 99]))).toBe('tooLarge');
    expect(gateOf(100).gate.take(Buffer.from([0x30, 98]))).toBe('fine');
  });

  it('refuses a length of more than four bytes', () => {
    expect(gateOf().gate.take(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]))).toBe('malformed');
  });

  it.each([
    ...['4000', '400101', '5000', '6200', '620101', '7000', '8200', '820100', 'a200', 'a20101'],
    ...['3200', '320100', '32020000', '340400026162', '32050002616200', '3a0100'],
  ])('refuses packet %s, which ends before its identifier, however it comes', (hex) => {
    const [packet, next] = [Buffer.from(hex, 'hex'), Buffer.from('c000', 'hex')];
    const ping = PACKETS[0] as Buffer;
    const whole = gateOf();
    expect(whole.gate.take(Buffer.concat([ping, packet, next]))).toBe('malformed');
    expect(whole.out).toEqual([ping]);
    const parted = gateOf();
    expect(parted.gate.take(packet.subarray(0, 1))).toBe('fine');
    expect(parted.gate.take(Buffer.concat([packet.subarray(1), next]))).toBe('malformed');
    expect(parted.out).toEqual([]);
  });

  it.each(['40020001', '62020000', '82020001', '3206000261620001', '30020000', '300100'])(
    'leaves packet %s to the broker',
    (hex) => expect(gateOf().gate.take(Buffer.from(hex, 'hex'))).toBe('fine'),
  );

  it('holds an incomplete packet in no more memory than the largest packet', () => {
    const { gate } = gateOf(10_000);
    gate.take(Buffer.from([0x30, 0x80, 0x40]));
    for (let n = 0; n < 8_000; n++) expect(gate.take(Buffer.from([1]))).toBe('fine');
    expect(gate.incompleteBytes).toBe(8_003);
  });
});
