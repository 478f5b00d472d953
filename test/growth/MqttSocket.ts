import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { JsonObject } from '@millrace/kernel';

/** Types of packets (MQTT 3.1.1, section 2.2.1), with their flags. */
const CONNECT = 0x10;
const PUBLISH = 0x30;
const PUBLISH_QOS_2 = 0x34;
const SUBSCRIBE = 0x82;
const PUBACK = 0x40;

/** Packets of MQTT 3.1.1 without a library: a test opens thousands of connections, and leaves messages unacknowledged. */
export class MqttSocket {
  isClosed = false;
  /** Called for each message with QoS 1. */
  onMessage: (messageId: number, payload: Buffer) => void = () => undefined;
  private buffered: Buffer = Buffer.alloc(0);
  private readonly waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      for (const done of this.waiting.splice(0)) done();
    });
    socket.on('data', (chunk) => this.read(chunk));
  }

  static async open(
    url: string,
    clientId: string,
    { clean = true, username = '', password = '', localAddress = '127.0.0.1' } = {},
  ): Promise<MqttSocket> {
    const { hostname, port } = new URL(url);
    const client = new MqttSocket(connect({ host: hostname, port: Number(port), localAddress }));
    await once(client.socket, 'connect');
    const flags = (clean ? 2 : 0) | (username === '' ? 0 : 0xc0);
    const login = username === '' ? [] : [text(username), text(password)];
    const variable = [text('MQTT'), Buffer.from([4, flags, 0, 0]), text(clientId), ...login];
    await client.answered(packet(CONNECT, ...variable));
    return client;
  }

  /** Resolves with the SUBACK. */
  subscribe(topic: string, qos = 1): Promise<void> {
    return this.answered(packet(SUBSCRIBE, id(1), text(topic), Buffer.from([qos])));
  }

  /** Resolves with the PUBREC, which is left unanswered. */
  publishTwo(topic: string, messageId: number): Promise<void> {
    return this.answered(packet(PUBLISH_QOS_2, text(topic), id(messageId), Buffer.from('{}')));
  }

  publish(topic: string, message: JsonObject): void {
    this.send(packet(PUBLISH, text(topic), Buffer.from(JSON.stringify(message))));
  }

  acknowledge(messageId: number): void {
    if (!this.isClosed) this.socket.write(packet(PUBACK, id(messageId)));
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    const closed = once(this.socket, 'close');
    this.socket.destroy();
    await closed;
  }

  private answered(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) return resolve();
      this.waiting.push(resolve);
      this.socket.write(bytes);
    });
  }

  private read(chunk: Buffer): void {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    for (;;) {
      const end = packetEnd(this.buffered);
      if (end === undefined || this.buffered.length < end.end) return;
      const [type = 0] = this.buffered;
      const body = this.buffered.subarray(end.bodyAt, end.end);
      this.buffered = this.buffered.subarray(end.end);
      if (type >> 4 !== 3) this.waiting.shift()?.();
      else if ((type & 0x06) === 0x02) {
        const idAt = 2 + body.readUInt16BE(0);
        this.onMessage(body.readUInt16BE(idAt), body.subarray(idAt + 2));
      }
    }
  }
}

/** @returns where the body begins and ends; undefined while the length is incomplete */
function packetEnd(bytes: Buffer): { readonly bodyAt: number; readonly end: number } | undefined {
  let length = 0;
  for (let at = 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) << (7 * (at - 1));
    if (byte < 0x80) return { bodyAt: at + 1, end: at + 1 + length };
  }
  return undefined;
}

function packet(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let rest = body.length; ; rest >>= 7) {
    length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
    if (rest < 0x80) break;
  }
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([id(bytes.length), bytes]);
}

function id(number: number): Buffer {
  return Buffer.from([number >> 8, number & 0xff]);
}
