import { once } from 'node:events';
import { connect } from 'node:net';
import { untilDrained } from './untilDrained.mjs';

const HEAD_KEPT = 400;

/** A masked text frame with the mask 0 (RFC 6455 section 5.3), so that one buffer can be sent many times as it is. */
export function textFrame(message) {
  return frame(0x81, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));
}

function frame(firstByte, payload) {
  const { length } = payload;
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const head = Buffer.alloc(size + 4);
  head[0] = firstByte;
  head[1] = 0x80 | (size === 2 ? length : size === 4 ? 126 : 127);
  if (size === 4) head.writeUInt16BE(length, 2);
  if (size === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/**
 * The cheapest WebSocket client: prepared frames go out unmasked and uncopied, of each answer only its status is read, so
 * that a flood takes processor time of the server and little of the attacker.
 */
export class RawWebSocket {
  answeredCount = 0;
  isClosed = false;
  onAnswer = (_head) => undefined;
  onClose = () => undefined;
  #socket;
  #header = [];
  #remaining = 0;
  #opcode = 0;
  #head = [];
  #headLength = 0;

  /** Resolves once the handshake is done; rejects where it is refused. */
  async open(url, localAddress) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.isClosed = true;
      this.onClose();
    });
    socket.setNoDelay(true);
    await once(socket, 'connect');
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const rest = await this.#handshake();
    socket.on('data', (chunk) => this.#read(chunk));
    if (rest.length > 0) this.#read(rest);
    return this;
  }

  /** @returns false where the socket's buffer is full: wait for `drained` */
  send(prepared) {
    return this.isClosed || this.#socket.write(prepared);
  }

  /** Resolves once the buffer is empty again, or the connection is gone. */
  drained() {
    return untilDrained(this.#socket);
  }

  /** Reads nothing from now on. */
  stopReading() {
    this.#socket.pause();
  }

  destroy() {
    this.#socket?.destroy();
  }

  #handshake() {
    const socket = this.#socket;
    let received = Buffer.alloc(0);
    return new Promise((resolve, reject) => {
      const refused = () => reject(new Error(`refused: ${received.toString().slice(0, 60)}`));
      const read = (chunk) => {
        received = Buffer.concat([received, chunk]);
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        socket.off('data', read);
        socket.off('close', refused);
        if (received.toString('latin1', 0, 12) === 'HTTP/1.1 101') resolve(received.subarray(end + 4));
        else {
          socket.destroy();
          refused();
        }
      };
      socket.on('data', read);
      socket.once('close', refused);
    });
  }

  #read(chunk) {
    let at = 0;
    while (at < chunk.length) {
      if (this.#remaining === 0) {
        this.#header.push(chunk[at++]);
        this.#readHeader();
        continue;
      }
      const part = chunk.subarray(at, at + this.#remaining);
      if (this.#headLength < HEAD_KEPT) {
        this.#head.push(part.subarray(0, HEAD_KEPT));
        this.#headLength += part.length;
      }
      at += part.length;
      this.#remaining -= part.length;
      if (this.#remaining === 0) this.#frameEnded();
    }
  }

  #readHeader() {
    const header = this.#header;
    if (header.length < 2) return;
    const short = header[1] & 0x7f;
    const size = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (header.length < size) return;
    this.#opcode = header[0] & 0x0f;
    const bytes = Buffer.from(header);
    this.#remaining = size === 2 ? short : size === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    this.#header = [];
    if (this.#remaining === 0) this.#frameEnded();
  }

  #frameEnded() {
    const head = Buffer.concat(this.#head);
    this.#head = [];
    this.#headLength = 0;
    if (this.#opcode === 0x9) this.#socket.write(frame(0x8a, head));
    else if (this.#opcode === 0x8) this.#socket.destroy();
    else {
      this.answeredCount++;
      this.onAnswer(head.toString('latin1'));
    }
  }
}
