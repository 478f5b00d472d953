// Opens raw connections and, for each number of bytes the parent tells, answers once every one has received so many.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const BATCH = 200;

let [expectedBytes, receivedBytes, isOpen] = [0, 0, false];
for (let opened = 0; opened < count; opened += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, count - opened) }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(HANDSHAKE);
    return new Promise((resolve) => {
      socket.once('data', () => {
        socket.on('data', ({ length }) => {
          receivedBytes += length;
          look();
        });
        resolve();
      });
    });
  });
  await Promise.all(batch);
}
isOpen = true;

function look() {
  if (!isOpen || expectedBytes === 0 || receivedBytes < expectedBytes) return;
  [expectedBytes, receivedBytes] = [0, receivedBytes - expectedBytes];
  process.send('received');
}

process.on('message', (bytesEach) => {
  expectedBytes = bytesEach * count;
  look();
});
process.on('disconnect', () => process.exit(0));
process.send('open');
