import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PortConnections } from '@millrace/kernel';

/** What goes on on a socket. */
export interface SocketState {
  /** Requests without a complete answer, in order; several where a client pipelines. */
  readonly running: Set<IncomingMessage>;
  /** Nothing that still arrives can be understood: close after the last answer. */
  isBroken: boolean;
}

/** The open sockets of a server and the exchanges that run on each. */
export class SocketTable {
  private readonly sockets = new Map<Socket, SocketState>();
  private readonly onEmpty: (() => void)[] = [];
  private isClosing = false;

  /** Takes a new socket, or refuses it where there are too many connections. */
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

  /** Undefined once the socket is closed, or where it was refused. */
  stateOf(socket: Socket): SocketState | undefined {
    return this.sockets.get(socket);
  }

  /** Counts an exchange until its answer is written or its client gone. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const state = this.sockets.get(socket);
    if (state === undefined) return;
    state.running.add(request);
    response.once('close', () => {
      state.running.delete(request);
      const isLast = state.running.size === 0;
      // Also where the head of the answer had been sent, without "Connection: close", before the closing began.
      if (isLast && (state.isBroken || this.isClosing)) socket.destroySoon();
    });
  }

  /** Closes sockets on which no exchange runs, also those that have sent half a request, and the others after it. */
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
