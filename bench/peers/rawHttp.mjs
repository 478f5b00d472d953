import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * A connection to an HTTP server that costs its process little: one request at a time, answered with a `Content-Length`.
 * @returns its socket, and `send` for a request with a JSON body: it rejects unless the status is 2xx
 */
export async function openRawHttp(port) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay();
  await once(socket, 'connect');
  let [pending, waiting] = ['', undefined];
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    const headLength = pending.indexOf('\r\n\r\n') + 4;
    if (headLength < 4) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(pending)?.[1]);
    if (pending.length < headLength + length) return;
    const answer = pending;
    pending = '';
    if (/^HTTP\/1.1 2/.test(answer) && answer.length === headLength + length) waiting.resolve();
    else waiting.reject(new Error(answer));
  });
  socket.on('error', (error) => waiting?.reject(error));
  const send = (method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = Buffer.byteLength(text);
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    socket.write(head + text);
    return new Promise((resolve, reject) => (waiting = { resolve, reject }));
  };
  return { socket, send };
}
