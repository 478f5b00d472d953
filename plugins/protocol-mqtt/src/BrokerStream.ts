import type { HeldBytes, Outbox } from '@millrace/plugin-kit';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { PacketGate, type GateVerdict } from './PacketGate.js';

/**
 * The socket as seen by the broker: it reads whole packets of bounded size, and writes through the connection's
 * outbox, so that packets of the broker and of Millrace stay whole and in order. A client that doesn't read isn't
 * read from either.
 */
export class BrokerStream extends Duplex {
  private readonly gate: PacketGate;
  private isRefused = false;
  private isHeld = false;
  private isWanted = true;

  constructor(
    private readonly socket: Socket,
    private readonly outbox: Outbox,
    /** Counts the bytes of an incomplete packet. */
    private readonly incoming: HeldBytes,
    /** The largest packet allowed, in bytes. */
    maxPacketBytes: (isFirst: boolean) => number,
    /** Called once if the client sends unacceptable data; nothing further is read. */
    private readonly onRefused: (verdict: Exclude<GateVerdict, 'fine'> | 'overloaded') => void,
  ) {
    super({ allowHalfOpen: false });
    this.gate = new PacketGate(maxPacketBytes, (bytes) => {
      if (this.push(bytes)) return;
      this.isWanted = false;
      socket.pause();
    });
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
  }

  /** Stops reading from the client until `release`; the broker has no back-pressure. */
  hold(): void {
    this.isHeld = true;
    this.socket.pause();
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.readOn();
  }

  override _read(): void {
    this.isWanted = true;
    this.readOn();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.pass(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: unknown }[], done: (error?: Error | null) => void): void {
    this.pass(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.incoming.release();
    this.socket.destroy();
    done(error);
  }

  private readOn(): void {
    if (this.isWanted && !this.isHeld && !this.isRefused) this.socket.resume();
  }

  private pass(bytes: Buffer, done: () => void): void {
    const { outbox } = this;
    outbox.send(bytes);
    if (outbox.isCongested) outbox.whenEmpty(done);
    else done();
  }

  private receive(chunk: Buffer): void {
    if (this.isRefused) return;
    let verdict: GateVerdict | 'overloaded' = this.gate.take(chunk);
    const { incoming } = this;
    incoming.set(this.gate.incompleteBytes);
    if (incoming.isTooMuch) verdict = 'overloaded';
    if (verdict === 'fine') return;
    this.isRefused = true;
    this.socket.pause();
    this.onRefused(verdict);
  }
}
