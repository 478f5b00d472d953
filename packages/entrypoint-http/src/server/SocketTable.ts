import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PortConnections } from '@millrace/kernel';

/** The state of a socket. */
export interface SocketState {
  /** Requests without a complete answer, in order; several if a client pipelines. */
  readonly running: Set<IncomingMessage>;
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
    this.sockets.set(socket, { running, isBroken: false });
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (this.sockets.size === 0) this.onEmpty.splice(0).forEach((resolve) => resolve());
    });
  }

  /** Undefined if the socket is closed or was refused. */
  stateOf(socket: Socket): SocketState | undefined {
    return this.sockets.get(socket);
  }

  /** Counts an exchange until its answer is written or its client has disconnected. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const state = this.sockets.get(socket);
    if (state === undefined) return;
    state.running.add(request);
    response.once('close', () => {
      state.running.delete(request);
      const isLast = state.running.size === 0;
      // Also if the head of the answer had been sent, without "Connection: close", before the shutdown began.
      if (isLast && (state.isBroken || this.isClosing)) socket.destroySoon();
    });
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
