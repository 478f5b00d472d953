import type { Chance } from '@millrace/wire-testing';

/*
 * Packets that MQTT 3.1.1 forbids, built byte by byte, because a library would refuse to write them. `closed`: the
 * standard (2.2.2, 3.1.4, 3.8.3, 4.8) requires the server to close the connection; `settled`: they may also be
 * served, because parsers are lenient there; `tooLarge`: answered 413 and the connection closed (PROTO-3);
 * `halfDone`: more bytes are announced than sent.
 */
export interface MalformedPacket {
  readonly name: string;
  readonly bytes: Buffer;
  readonly outcome: 'closed' | 'settled' | 'tooLarge' | 'halfDone';
}

const SERVICE = 'millrace';

/** A packet with its correct remaining length, in one to four bytes. */
function packet(firstByte: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([firstByte]), remainingLength(body.length), body]);
}

function remainingLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

/** A string preceded by its length, or by the given length. */
function lengthAndText(text: string | Buffer, length?: number): Buffer {
  const bytes = Buffer.from(text as string);
  return Buffer.concat([uint16(length ?? bytes.length), bytes]);
}

const NOT_UTF8 = [
  Buffer.from([0xff]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xe2, 0x82]),
];

/** Fixed headers of packets that only servers send. */
const FROM_SERVERS = [0x20, 0x90, 0xb0, 0xd0];
/** Fixed headers with prescribed flag bits. */
const WITH_FLAGS = [0x40, 0x50, 0x62, 0x70, 0x82, 0xa2, 0xc0, 0xe0];

/** A malformed packet of a connected client. */
export function malformedPacket(chance: Chance): MalformedPacket {
  const topic = lengthAndText(SERVICE);
  const id = uint16(1 + chance.below(9));
  const payload = chance.bytes(chance.below(40));
  const kinds: readonly (() => MalformedPacket)[] = [
    () => closed('QoS 3', packet(0x36 | (chance.below(2) << 3), Buffer.concat([topic, id, payload]))),
    () => closed('reserved type', packet(chance.pick([0x00, 0xf0]) | chance.below(16), payload)),
    () => closed('packet of a server', packet(chance.pick(FROM_SERVERS), Buffer.from([0, 1, 0]))),
    () => {
      const right = chance.pick(WITH_FLAGS);
      const flags = ((right & 15) + 1 + chance.below(15)) & 15;
      return closed('wrong flags', packet((right & 0xf0) | flags, id));
    },
    () => {
      const five = Buffer.from([0x30, 0x80 + chance.below(128), 0xff, 0xff, 0x80 + chance.below(128)]);
      return closed('length in five bytes', Buffer.concat([five, payload]));
    },
    () => closed('second CONNECT', connect({ clientId: 'again' })),
    () => closed('topic beyond its packet', packet(0x30, lengthAndText(SERVICE, 9 + chance.below(60_000)))),
    () => closed('no topic', packet(0x30, chance.bytes(chance.below(2)))),
    () =>
      closed(
        'subscription with impossible QoS',
        packet(0x82, Buffer.concat([id, lengthAndText('a'), Buffer.from([3 + chance.below(253)])])),
      ),
    () => closed('subscription without QoS', packet(0x82, Buffer.concat([id, lengthAndText('a')]))),
    () => closed('subscription beyond its packet', packet(0x82, Buffer.concat([id, lengthAndText('a', 200)]))),
    () => closed('unsubscription beyond its packet', packet(0xa2, Buffer.concat([id, lengthAndText('a', 200)]))),
    () => ({ name: 'too large', outcome: 'tooLarge', bytes: Buffer.concat([Buffer.from([0x30]), remainingLength(1_100_000 + chance.below(2.6e8)), topic]) }),
    () => settled('no subscriptions', packet(chance.pick([0x82, 0xa2]), id)),
    () => closed('no packet id', packet(chance.pick([0x40, 0x50, 0x62, 0x70, 0x82, 0xa2]), chance.bytes(chance.below(2)))),
    () => closed('QoS without packet id', packet(chance.pick([0x32, 0x34, 0x3a]), Buffer.concat([topic, chance.bytes(chance.below(2))]))),
    () => settled('packet id 0', packet(0x32, Buffer.concat([topic, uint16(0), payload]))),
    () => settled('acknowledgement of nothing', packet(chance.pick([0x40, 0x50, 0x62, 0x70]), id)),
    () => settled('contents where none belong', packet(0xc0, payload)),
    () => settled('topic not UTF-8', packet(0x30, Buffer.concat([lengthAndText(chance.pick(NOT_UTF8)), payload]))),
    () => settled('payload not UTF-8', packet(0x30, Buffer.concat([topic, chance.pick(NOT_UTF8)]))),
    () => settled('topic with a wildcard', packet(0x30, Buffer.concat([lengthAndText('a/#/+'), payload]))),
    () => halfDone('half a packet', halfOf(packet(0x30, Buffer.concat([topic, chance.bytes(300)])), chance)),
    () => halfDone('half a length', Buffer.from([0x30, 0x80 + chance.below(128)])),
  ]; // prettier-ignore
  return chance.pick(kinds)();
}

/** A malformed first packet of a connection. */
export function malformedConnect(chance: Chance): MalformedPacket {
  const clientId = `odd-${chance.below(1e6)}`;
  const kinds: readonly (() => MalformedPacket)[] = [
    () => closed('other name of the protocol', connect({ clientId, name: chance.pick(['', 'MQTX', 'mqtt', 'MQTT\0', 'HTTP/1.1']) })),
    () => closed('unknown level', connect({ clientId, level: chance.pick([0, 1, 2, 6, 100, 127, 255]) })),
    () => closed('MQTT 5', connect({ clientId, level: 5, properties: true })),
    () => closed('reserved flag', connect({ clientId, flags: 0x03 })),
    () => closed('QoS of no will', connect({ clientId, flags: chance.pick([0x0a, 0x12, 0x1a, 0x22]) })),
    () => closed('will that is missing', connect({ clientId, flags: 0x06 })),
    () => closed('user that is missing', connect({ clientId, flags: 0x82 })),
    () => closed('another packet first', packet(chance.pick([0x30, 0x32, 0x82, 0xa2, 0xc0, 0xe0, 0x40]), Buffer.concat([lengthAndText(SERVICE), uint16(1)]))),
    () => closed('client id that no topic can have', connect({ clientId: chance.pick(['a#', '+', 'a\0b', 'x'.repeat(1_025)]) })),
    () => closed('more than may come before CONNECT', Buffer.concat([Buffer.from([0x10]), remainingLength(65_537 + chance.below(2e8))])),
    () => closed('cut short', cutShort(connect({ clientId }), chance)),
    () => halfDone('no MQTT', Buffer.from(chance.pick(['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', '{"controller":"server"}']), 'latin1')),
    () => settled('password without a user', connect({ clientId, flags: 0x42, rest: lengthAndText('p') })),
    () => settled('client id not UTF-8', connect({ clientId: chance.pick(NOT_UTF8) })),
    () => settled('contents after the end', connect({ clientId, rest: chance.bytes(1 + chance.below(30)) })),
    () => settled('no client id', connect({ clientId: '', level: chance.pick([3, 4]), name: chance.pick(['MQTT', 'MQIsdp']) })),
    () => halfDone('half a CONNECT', halfOf(connect({ clientId }), chance)),
  ]; // prettier-ignore
  return chance.pick(kinds)();
}

interface ConnectParts {
  readonly clientId: string | Buffer;
  readonly name?: string;
  readonly level?: number;
  readonly flags?: number;
  readonly properties?: boolean;
  readonly rest?: Buffer;
}

/** A CONNECT packet, conforming to the standard unless overridden. */
export function connect(parts: ConnectParts): Buffer {
  const { clientId, name = 'MQTT', level = 4, flags = 0x02, rest = Buffer.alloc(0) } = parts;
  const properties = Buffer.alloc(parts.properties === true ? 1 : 0);
  const head = Buffer.concat([lengthAndText(name), Buffer.from([level, flags]), uint16(60)]);
  return packet(0x10, Buffer.concat([head, properties, lengthAndText(clientId), rest]));
}

/** A truncated packet with a matching length. */
function cutShort(whole: Buffer, chance: Chance): Buffer {
  return packet(whole[0] as number, whole.subarray(2, 2 + chance.below(whole.length - 2)));
}

function halfOf(whole: Buffer, chance: Chance): Buffer {
  return whole.subarray(0, 1 + chance.below(whole.length - 1));
}

function closed(name: string, bytes: Buffer): MalformedPacket {
  return { name, bytes, outcome: 'closed' };
}

function settled(name: string, bytes: Buffer): MalformedPacket {
  return { name, bytes, outcome: 'settled' };
}

function halfDone(name: string, bytes: Buffer): MalformedPacket {
  return { name, bytes, outcome: 'halfDone' };
}
