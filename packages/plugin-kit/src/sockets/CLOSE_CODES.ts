/** What a close code of a WebSocket means to a client. */
export interface CloseCode {
  readonly meaning: string;
  /** Whether the client should connect again. If not, the same client would be refused again. */
  readonly mayReconnect: boolean;
  /** True if a server of Millrace sends it; others come from the client, a proxy or the network. */
  readonly isSent: boolean;
}

/**
 * The close codes of WebSockets (RFC 6455 section 7.4, IANA registry). The only table of them: tests compare the server,
 * the reference and clients with it (PROTO-53). A code that isn't listed counts as 1006.
 */
export const CLOSE_CODES: Readonly<Record<number, CloseCode>> = {
  1000: { meaning: 'the client closed the connection', mayReconnect: false, isSent: false },
  1001: { meaning: 'a proxy or the page went away', mayReconnect: true, isSent: false },
  1002: { meaning: 'a frame was malformed', mayReconnect: false, isSent: true },
  1006: { meaning: 'no close frame: a network failure', mayReconnect: true, isSent: false },
  1007: { meaning: 'a text message was not UTF-8', mayReconnect: false, isSent: true },
  1009: { meaning: 'a message was too large', mayReconnect: false, isSent: true },
  1011: { meaning: 'a proxy failed', mayReconnect: true, isSent: false },
  1012: { meaning: 'the server is stopping', mayReconnect: true, isSent: true },
  1013: { meaning: 'too slow, overloaded, or too many requests', mayReconnect: true, isSent: true },
};
