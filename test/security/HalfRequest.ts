import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const UNIT = Buffer.alloc(1_048_576, '{},');

/** A POST whose body is sent in parts, or not at all. */
export class HalfRequest {
  /** All that has come back, as latin1. */
  received = '';
  private readonly answered: Promise<string>;

  private constructor(
    private readonly socket: Socket,
    private readonly isChunked: boolean,
  ) {
    socket.on('error', () => undefined);
    this.answered = new Promise((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        this.received += chunk.toString('latin1');
        resolve(this.received);
      });
      socket.on('close', () => resolve(this.received));
    });
  }

  /** Sends the head. */
  static async open(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<HalfRequest> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines.join('')}\r\n`);
    return new HalfRequest(socket, 'Transfer-Encoding' in headers);
  }

  /** Sends so many MiB of body; stops where the server takes no more for `limitMs` or has closed the connection. */
  async send(count: number, limitMs = 5_000): Promise<void> {
    for (let n = 0; n < count && !this.socket.destroyed; n++) {
      const bytes = this.isChunked ? chunk(UNIT) : UNIT;
      if (this.socket.write(bytes)) continue;
      const ended = new AbortController();
      const drained = once(this.socket, 'drain', { signal: ended.signal }).then(() => true);
      const closed = once(this.socket, 'close', { signal: ended.signal }).then(() => false);
      const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), limitMs));
      const isDrained = await Promise.race([drained, closed, late]).catch(() => false);
      drained.catch(() => undefined);
      closed.catch(() => undefined);
      ended.abort();
      if (!isDrained) return;
    }
  }

  /** Resolves with the status of the answer, `closed` where the connection ends without one, `none` after `limitMs`. */
  async status(limitMs: number): Promise<string> {
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('none'), limitMs));
    const text = await Promise.race([this.answered, late]);
    if (text === 'none') return text;
    return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'closed';
  }

  close(): void {
    this.socket.destroy();
  }
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}
