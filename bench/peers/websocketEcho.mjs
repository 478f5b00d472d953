// Bare ws: parses each request and stringifies the response that BENCH_RESPONSE holds.
import { WebSocketServer } from 'ws';
import { reportFootprint } from './websocketFootprint.mjs';

const response = JSON.parse(process.env.BENCH_RESPONSE);
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { requestId } = JSON.parse(data.toString());
    socket.send(JSON.stringify({ ...response, requestId, room: requestId }));
  });
});
server.on('listening', () => {
  reportFootprint();
  process.send({ port: server.address().port });
});
