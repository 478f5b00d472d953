// Keeps a number of equal requests in flight on one raw connection and counts the answers, which are all of one length:
// a WebSocket client would cost more than the server does.
import { connect } from 'node:net';

const [port, text, inFlight, seconds] = process.argv.slice(2);
const payload = Buffer.from(text);
// A mask of zeros leaves the payload as it is.
const header =
  payload.length < 126
    ? Buffer.from([0x81, 0x80 | payload.length])
    : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff]);
const frame = Buffer.concat([header, Buffer.alloc(4), payload]);

const socket = connect(Number(port), '127.0.0.1');
socket.setNoDelay();
socket.write(
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
);
await new Promise((resolve) => socket.once('data', resolve));
socket.write(frame);
const first = await new Promise((resolve) => socket.once('data', resolve));
const answerLength = first[1] < 126 ? 2 + first[1] : 4 + first.readUInt16BE(2);
if (first.length !== answerLength) throw new Error('the first answer did not come in one piece');
const answer = first.toString('utf8', first[1] < 126 ? 2 : 4);
if (JSON.parse(answer).status !== 200) throw new Error(answer);

let [waitingBytes, answered] = [0, 0];
socket.on('data', (chunk) => {
  waitingBytes += chunk.length;
  const complete = Math.floor(waitingBytes / answerLength);
  waitingBytes -= complete * answerLength;
  answered += complete;
  if (complete > 0) socket.write(Buffer.concat(Array.from({ length: complete }, () => frame)));
});
const startMs = performance.now();
socket.write(Buffer.concat(Array.from({ length: Number(inFlight) }, () => frame)));
setTimeout(
  () => {
    const perSecond = (answered / (performance.now() - startMs)) * 1000;
    process.send({ perSecond, answered, answer });
    socket.destroy();
    process.disconnect();
  },
  Number(seconds) * 1000,
);
