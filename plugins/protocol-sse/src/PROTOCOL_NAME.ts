/** Name of this protocol in statistics and in `Connection.protocol`. */
export const PROTOCOL_NAME = 'sse';
