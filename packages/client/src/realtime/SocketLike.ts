/** The part of a WebSocket that the client uses. That of browsers, of Node.js from 22 on and of `ws` have it. */
export interface SocketLike {
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

/** A class of WebSockets. */
export type SocketClass = new (url: string) => SocketLike;
