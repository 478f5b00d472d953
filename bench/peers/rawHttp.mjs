import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * A connection to an HTTP server that costs its process little: one request at a time, answered with a `Content-Length` or
 * in chunks.
 * @returns its socket, and `send` for a request with a JSON body: it resolves with the body of the answer as it came, and
 *   rejects unless the status is 2xx
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
    const length = /\r\ncontent-length: (\d+)/i.exec(pending)?.[1];
    // Without a length the answer is in chunks.
    const isWhole =
      length === undefined ? pending.endsWith('\r\n0\r\n\r\n') : pending.length >= headLength + Number(length);
    if (!isWhole) return;
    const answer = pending;
    pending = '';
    const isExact = length === undefined || answer.length === headLength + Number(length);
    if (/^HTTP\/1.1 2/.test(answer) && isExact) waiting.resolve(answer.slice(headLength));
    else waiting.reject(new Error(answer));
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  const send = (method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = Buffer.byteLength(text);
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    socket.write(head + text);
    return new Promise((resolve, reject) => (waiting = { resolve, reject }));
  };
  return { socket, send };
}
