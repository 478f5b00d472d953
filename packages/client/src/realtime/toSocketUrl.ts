/** The WebSocket address of a server, at the same origin as its HTTP address and below it. */
export function toSocketUrl(httpUrl: string): string {
  const url = new URL(httpUrl);
  const scheme = url.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${url.host}${url.pathname.replace(/\/+$/, '')}/_ws`;
}
