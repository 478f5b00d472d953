import { connect } from 'node:net';

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/**
 * A WebSocket that costs its process little: it takes unmasked text frames below 64 KiB and answers no pings.
 * @returns its socket, and `send` for strings below 64 KiB
 */
export async function openRawWebsocket(port, onText) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay();
  socket.write(HANDSHAKE);
  await new Promise((resolve, reject) => {
    socket.once('data', resolve);
    socket.once('error', reject);
  });
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      if (pending.length < 4) return;
      const isShort = pending[1] < 126;
      const start = isShort ? 2 : 4;
      const end = start + (isShort ? pending[1] : pending.readUInt16BE(2));
      if (pending.length < end) return;
      if ((pending[0] & 0x0f) === 1) onText(pending.toString('utf8', start, end));
      pending = pending.subarray(end);
    }
  });
  return { socket, send: (text) => socket.write(maskedFrame(text)) };
}

/** A mask of zeros leaves the payload as it is. */
function maskedFrame(text) {
  const payload = Buffer.from(text);
  const { length } = payload;
  const header = length < 126 ? [0x81, 0x80 | length] : [0x81, 0xfe, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), Buffer.alloc(4), payload]);
}
