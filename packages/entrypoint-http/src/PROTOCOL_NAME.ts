/** Key of this entrypoint in statistics and in `Connection.protocol`. */
export const PROTOCOL_NAME = 'http';
