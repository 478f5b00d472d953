import type { Socket } from 'node:net';
import { decodeMessage, type Connection, type MillraceError, type ProtocolHost } from '@millrace/kernel';
import type { ChannelListener } from '@millrace/plugin-kit';

/** What a connection is made of. */
export interface LineConnectionParts {
  readonly connection: Connection;
  readonly socket: Socket;
  readonly host: ProtocolHost;
  readonly tooLong: MillraceError;
  readonly maxLineBytes: number;
  readonly maxWaitingBytes: number;
}

const NEWLINE = 10;
const MAX_RUNNING_REQUESTS = 100;

/** One client: reads lines, writes lines. Reads no further while too many of its requests run. */
export class LineConnection implements ChannelListener<Buffer> {
  readonly id: string;
  private readonly parts: LineConnectionParts;
  private partial: Buffer = Buffer.alloc(0);
  private runningCount = 0;
  private isFinishing = false;

  constructor(parts: LineConnectionParts) {
    this.parts = parts;
    this.id = parts.connection.id;
    // Without a listener an error would end the process; `close` follows it.
    parts.socket.on('error', (error) => parts.host.log.debug({ err: error }, 'socket broke'));
    parts.socket.on('data', (bytes) => this.receive(bytes));
  }

  send(line: Buffer): void {
    const { socket, maxWaitingBytes } = this.parts;
    if (!socket.writable) return;
    socket.write(line);
    if (socket.writableLength > maxWaitingBytes) socket.destroy();
  }

  /** Takes nothing more, and closes once what runs has been answered. */
  finish(): void {
    this.isFinishing = true;
    this.parts.socket.pause();
    if (this.runningCount === 0) this.parts.socket.destroySoon();
  }

  private receive(bytes: Buffer): void {
    let rest = Buffer.concat([this.partial, bytes]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      void this.answer(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    this.partial = rest;
    if (rest.length > this.parts.maxLineBytes) void this.refuseTooLong();
  }

  private async answer(line: Buffer): Promise<void> {
    if (this.isFinishing) return;
    const { host, connection, maxLineBytes } = this.parts;
    if (line.length > maxLineBytes) return this.refuseTooLong();
    const { fields, fault } = decodeMessage(line);
    await this.run(host.createRequest(fields, connection, fault));
  }

  private async refuseTooLong(): Promise<void> {
    const { host, connection, tooLong } = this.parts;
    this.partial = Buffer.alloc(0);
    const request = host.createRequest({}, connection, tooLong);
    const answered = this.run(request);
    this.finish();
    await answered;
  }

  private async run(request: Parameters<ProtocolHost['dispatch']>[0]): Promise<void> {
    const { host, socket } = this.parts;
    this.runningCount++;
    if (this.runningCount >= MAX_RUNNING_REQUESTS) socket.pause();
    const { message } = await host.dispatch(request);
    this.send(Buffer.from(`${JSON.stringify(message)}\n`));
    this.runningCount--;
    if (!this.isFinishing) socket.resume();
    else if (this.runningCount === 0) socket.destroySoon();
  }
}
