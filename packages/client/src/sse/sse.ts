import type { Fallback, FallbackContext } from '../realtime/Fallback.js';
import type { SocketLike } from '../realtime/SocketLike.js';
import { unref } from '../realtime/unref.js';
import { SseMemory } from './SseMemory.js';
import { StreamSocket } from './StreamSocket.js';

/** Options of `sse`. */
export interface SseOptions {
  /**
   * Subscriptions at the same time; further ones end with an error. Default: 4 in a page, because browsers open at most
   * six connections to a server without HTTP/2, and requests need some; in Node.js, 1,000.
   */
  readonly maxStreams?: number;
}

/** Attempts to open a WebSocket before streams are used, and how long each may take. */
const MAX_ATTEMPTS = 2;
const OPEN_MS = 4_000;
const PAGE_STREAMS = 4;
const OTHER_STREAMS = 1_000;

/**
 * Subscriptions by server-sent events and requests over HTTP where WebSockets don't get through:
 * `realtime({ fallback: sse() })`. Used after two attempts in a row that opened no WebSocket within 4 s each, then for an
 * hour, also by other pages of the origin; and without a class of WebSockets.
 */
export function sse(options: SseOptions = {}): Fallback {
  const { maxStreams = typeof document === 'undefined' ? OTHER_STREAMS : PAGE_STREAMS } = options;
  let failedCount = 0;
  let hasOpened = false;
  return {
    open(context, openWebSocket) {
      const memory = new SseMemory(context.url);
      const isWebSocket = hasOpened || (failedCount < MAX_ATTEMPTS && !memory.isSet);
      if (openWebSocket === undefined || !isWebSocket) return openStreams(context, memory);
      const socket = openWebSocket();
      const timer = unref(setTimeout(() => socket.close(), OPEN_MS));
      let isOpen = false;
      socket.addEventListener('open', () => {
        clearTimeout(timer);
        isOpen = hasOpened = true;
      });
      socket.addEventListener('close', () => {
        clearTimeout(timer);
        if (!isOpen) failedCount++;
      });
      return socket;
    },
  };

  function openStreams(context: FallbackContext, memory: SseMemory): SocketLike {
    // If they fail too the server is away, and a WebSocket is tried again.
    failedCount = 0;
    return new StreamSocket(context, maxStreams, () => memory.set());
  }
}
