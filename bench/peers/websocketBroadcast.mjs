// Bare ws: each message of the parent is made one prepared frame, as socket.io does it, and sent to every connection.
import { Sender, WebSocketServer } from 'ws';
import { reportFootprint } from './websocketFootprint.mjs';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('listening', () => process.send({ port: server.address().port }));
process.on('message', ({ envelope }) => {
  if (envelope === undefined) return;
  const text = `{"room":${JSON.stringify(process.env.BENCH_CHANNEL)},${envelope.slice(1)}`;
  const options = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false };
  const frame = Sender.frame(Buffer.from(text), options);
  for (const socket of server.clients) socket._sender.sendFrame(frame);
});
reportFootprint();
