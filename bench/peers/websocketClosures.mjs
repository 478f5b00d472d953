// Bare ws with a closure for each subscriber: every message is tested against all of them.
import { WebSocketServer } from 'ws';
import { reportFootprint } from './websocketFootprint.mjs';

const subscriptions = [];
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { requestId, action, index, collection, body } = JSON.parse(data.toString());
    if (action === 'subscribe') {
      const { owner } = body.equals;
      subscriptions.push({ socket, matches: (document) => document.owner === owner });
      socket.send(JSON.stringify({ room: requestId, status: 200 }));
      return;
    }
    const fields = { index, collection, controller: 'realtime', action: 'publish', state: 'done' };
    const result = { _source: body };
    for (const { socket: listener, matches } of subscriptions) {
      if (matches(body)) listener.send(JSON.stringify({ room: 'channel', ...fields, result }));
    }
    socket.send(JSON.stringify({ room: requestId, status: 200, result: { published: true } }));
  });
});
server.on('listening', () => {
  reportFootprint();
  process.send({ port: server.address().port });
});
