import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PortConnections } from '@millrace/kernel';

/** A client that sends more requests without waiting for their answers is disconnected. */
const MAX_UNANSWERED = 100;

/** The state of a socket. */
export interface SocketState {
  /** Requests without a complete answer, in order; several if a client pipelines. */
  readonly running: Set<IncomingMessage>;
  /** Begins the exchanges of those behind the first, in order. */
  readonly waiting: (() => void)[];
  /** Further data can't be parsed: close after the last answer. */
  isBroken: boolean;
}

/** The open sockets of a server and their running exchanges. */
export class SocketTable {
  private readonly sockets = new Map<Socket, SocketState>();
  private readonly onEmpty: (() => void)[] = [];
  private isClosing = false;

  /** Admits a new socket, or refuses it if there are too many connections. */
  open(socket: Socket, port: PortConnections): void {
    // The system may have accepted it just before the server stopped listening.
    if (this.isClosing) {
      socket.destroy();
      return;
    }
    const running = new Set<IncomingMessage>();
    if (!port.accept(socket, () => (running.size === 0 ? 'idle' : 'busy'))) return;
    this.sockets.set(socket, { running, waiting: [], isBroken: false });
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (this.sockets.size === 0) this.onEmpty.splice(0).forEach((resolve) => resolve());
    });
  }

  /** Undefined if the socket is closed or was refused. */
  stateOf(socket: Socket): SocketState | undefined {
    return this.sockets.get(socket);
  }

  /**
   * Runs an exchange, and counts it until its answer is written or its client has disconnected. Those of one socket run
   * one after the other, each in another turn of the event loop: a thousand requests that arrive at once must not
   * delay the clients of other sockets.
   */
  begin(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    const { socket } = request;
    const state = this.sockets.get(socket);
    // The socket was refused, and its answer has been sent.
    if (state === undefined || socket.destroyed) return;
    const { running, waiting } = state;
    if (running.size === MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    running.add(request);
    response.once('close', () => {
      running.delete(request);
      const isLast = running.size === 0;
      // Also if the head of the answer had been sent, without "Connection: close", before the shutdown began.
      if (isLast && (state.isBroken || this.isClosing)) socket.destroySoon();
      const next = waiting.shift();
      if (next !== undefined && !socket.destroyed) setImmediate(next);
    });
    if (running.size === 1) run();
    else waiting.push(run);
  }

  /**
   * Closes sockets without a running exchange, including those with an incomplete request; the others are closed after
   * their exchanges.
   */
  closeIdle(): void {
    this.isClosing = true;
    for (const [socket, { running }] of this.sockets) if (running.size === 0) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  /** Resolves once every socket is closed. */
  whenEmpty(): Promise<void> {
    if (this.sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }
}
