import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasTime, inTurn, type PortConnections } from '@millrace/kernel';

/** Of a client that sends more requests without waiting for their answers, so many are answered. */
const MAX_UNANSWERED = 100;
/** Of all clients. Node keeps some 3 kB for each until the socket is closed. */
const MAX_DROPPED = 10_000;
/** A request that runs for longer is one that lasts: a stream, a poll that waits, or an answer that is read slowly. */
const LASTING_AFTER_MS = 2_000;
const NO_ROOM = { 'Retry-After': '5', 'Content-Length': '0', Connection: 'close' };

/** The state of a socket. */
export interface SocketState {
  /** Requests without a complete answer, in order; several if a client pipelines. */
  readonly running: Set<IncomingMessage>;
  /** Begins the exchanges of those that have not begun, in order. */
  readonly waiting: Map<IncomingMessage, () => void>;
  /** When it was the turn of the first one. */
  begunAtMs: number;
  /** There are too many connections: it may send a probe, and nothing else. */
  isReserved: boolean;
  /** Requests that will not be answered: they were read together with the last that will. */
  droppedCount: number;
  /** Further requests can't be parsed or taken: close after the last answer. */
  isBroken: boolean;
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What the table needs to know of requests. */
interface SocketTableOptions {
  /** Probes are answered even if there are too many connections. */
  readonly isProbe: (request: IncomingMessage) => boolean;
}

/** The open sockets of a server and their running exchanges. */
export class SocketTable {
  private readonly sockets = new Map<Socket, SocketState>();
  private readonly onEmpty: (() => void)[] = [];
  private isClosing = false;
  private droppedCount = 0;

  constructor(private readonly options: SocketTableOptions) {}

  /** Admits a new socket, or refuses it if there are too many connections. */
  open(socket: Socket, port: PortConnections): void {
    // One whose upgrade was refused, read again.
    if (this.sockets.has(socket)) return;
    // The system may have accepted it just before the server stopped listening.
    if (this.isClosing) {
      socket.destroy();
      return;
    }
    const state: SocketState = {
      running: new Set(),
      waiting: new Map(),
      begunAtMs: 0,
      isReserved: false,
      droppedCount: 0,
      isBroken: false,
    };
    if (!port.accept(socket, () => useOf(state))) return;
    state.isReserved = port.isReserved(socket);
    this.sockets.set(socket, state);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.droppedCount -= state.droppedCount;
      if (this.sockets.size === 0) this.notifyEmpty();
    });
  }

  /** No longer counts a socket that has been handed to another protocol. */
  release(socket: Socket): void {
    if (this.sockets.delete(socket) && this.sockets.size === 0) this.notifyEmpty();
  }

  /** Undefined if the socket is closed or was refused. */
  stateOf(socket: Socket): SocketState | undefined {
    return this.sockets.get(socket);
  }

  /**
   * Runs an exchange, and counts it until its answer is written or its client has disconnected. Those of one socket run
   * one after the other, each in another turn of the event loop, and those of all sockets in turn from each address: a
   * thousand requests that arrive at once must not delay other clients.
   */
  begin(request: IncomingMessage, response: ServerResponse, run: RequestListener): void {
    const { socket } = request;
    const state = this.sockets.get(socket);
    // The socket was refused, and its answer has been sent.
    if (state === undefined || socket.destroyed) return;
    if (state.isReserved && !this.options.isProbe(request)) {
      request.resume();
      response.writeHead(503, NO_ROOM).end();
      return;
    }
    if (state.isReserved) response.setHeader('Connection', 'close');
    const { running, waiting } = state;
    if (state.isBroken || running.size === MAX_UNANSWERED) {
      this.drop(socket, state);
      return;
    }
    running.add(request);
    // Emitted once: `once` would wrap the listener.
    response.on('close', () => this.end(socket, state, request));
    if (running.size === 1 && hasTime()) {
      state.begunAtMs = performance.now();
      run(request, response);
      return;
    }
    waiting.set(request, () => run(request, response));
    if (running.size === 1) beginNext(socket, state);
  }

  private end(socket: Socket, state: SocketState, request: IncomingMessage): void {
    const { running, waiting } = state;
    running.delete(request);
    // Also if the head of the answer had been sent, without "Connection: close", before the shutdown began.
    if (running.size === 0 && (state.isBroken || this.isClosing)) socket.destroySoon();
    if (waiting.size > 0) setImmediate(beginNext, socket, state);
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

  private notifyEmpty(): void {
    this.onEmpty.splice(0).forEach((resolve) => resolve());
  }

  /** Reads no further, and closes the socket after the last answer; at once if many clients need that. */
  private drop(socket: Socket, state: SocketState): void {
    if (!state.isBroken) {
      state.isBroken = true;
      socket.pause();
      // Node reads on whenever a request has been answered.
      socket.resume = () => socket;
      // It makes an error for each unanswered request when the socket closes: thousands of stack traces take a second.
      socket.prependListener('close', withoutStackTraces).on('close', withStackTraces);
    }
    state.droppedCount++;
    this.droppedCount++;
    if (this.droppedCount > MAX_DROPPED) socket.destroy();
  }
}

let { stackTraceLimit } = Error;

function withoutStackTraces(): void {
  stackTraceLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

function withStackTraces(): void {
  Error.stackTraceLimit = stackTraceLimit;
}

function beginNext(socket: Socket, state: SocketState): void {
  state.begunAtMs = performance.now();
  inTurn(socket.remoteAddress ?? '', 0, () => {
    // Empty: its body turned out malformed.
    const [next] = state.waiting;
    if (next === undefined || socket.destroyed) return;
    const [request, run] = next;
    state.waiting.delete(request);
    run();
  });
}

function useOf({ running, begunAtMs }: SocketState): 'idle' | 'lasting' | 'busy' {
  const [first] = running;
  // Without the end of its request, it is the client's turn.
  if (first?.complete !== true) return 'idle';
  return performance.now() - begunAtMs > LASTING_AFTER_MS ? 'lasting' : 'busy';
}
