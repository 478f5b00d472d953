const HTTP_PORT = '7511';
const WEBSOCKET_PORT = '7513';

/**
 * The address of the WebSocket port next to the HTTP port of a server with the default ports.
 * @throws TypeError for another address: it must be passed then
 */
export function toSocketUrl(httpUrl: string): string {
  const url = new URL(httpUrl);
  if (url.port !== HTTP_PORT) {
    throw new TypeError(`realtime needs the option \`url\`, the WebSocket address of ${httpUrl}`);
  }
  return `${url.protocol === 'https:' ? 'wss' : 'ws'}://${url.hostname}:${WEBSOCKET_PORT}/`;
}
