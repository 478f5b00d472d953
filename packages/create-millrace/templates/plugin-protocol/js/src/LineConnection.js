import { decodeMessage } from '@millrace/kernel';

const NEWLINE = 10;
const MAX_RUNNING_REQUESTS = 100;

/** One client: reads lines, writes lines. Reads no further while too many of its requests run. */
export class LineConnection {
  id;
  parts;
  partial = Buffer.alloc(0);
  runningCount = 0;
  isFinishing = false;

  constructor(parts) {
    this.parts = parts;
    this.id = parts.connection.id;
    // Without a listener an error would end the process; `close` follows it.
    parts.socket.on('error', (error) => parts.host.log.debug({ err: error }, 'socket broke'));
    parts.socket.on('data', (bytes) => this.receive(bytes));
  }

  send(line) {
    const { socket, maxWaitingBytes } = this.parts;
    if (!socket.writable) return;
    socket.write(line);
    if (socket.writableLength > maxWaitingBytes) socket.destroy();
  }

  /** Takes nothing more, and closes once what runs has been answered. */
  finish() {
    this.isFinishing = true;
    this.parts.socket.pause();
    if (this.runningCount === 0) this.parts.socket.destroySoon();
  }

  receive(bytes) {
    let rest = Buffer.concat([this.partial, bytes]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      void this.answer(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    this.partial = rest;
    if (rest.length > this.parts.maxLineBytes) void this.refuseTooLong();
  }

  async answer(line) {
    if (this.isFinishing) return;
    const { host, connection, maxLineBytes } = this.parts;
    if (line.length > maxLineBytes) return this.refuseTooLong();
    const { fields, fault } = decodeMessage(line);
    await this.run(host.createRequest(fields, connection, fault));
  }

  async refuseTooLong() {
    const { host, connection, tooLong } = this.parts;
    this.partial = Buffer.alloc(0);
    const request = host.createRequest({}, connection, tooLong);
    const answered = this.run(request);
    this.finish();
    await answered;
  }

  async run(request) {
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
