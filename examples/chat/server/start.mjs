#!/usr/bin/env node
// The chat on one port: the page, and below /api Millrace over HTTP and WebSocket.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { localAuth } from '@millrace/auth-local';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { membersOfMessages } from './membersOfMessages.mjs';
import { prepare } from './prepare.mjs';
import { servePage } from './servePage.mjs';

const { PORT = '3000', HOST = '127.0.0.1', DATA_DIR = './data', ADMIN_PASSWORD } = process.env;

const kernel = new Kernel({
  config: {
    server: { dataDir: DATA_DIR },
    http: { listen: false },
    websocket: { listen: false },
    // Anyone may sign up, and is a member then: rights.mjs. `prepare` makes the administrator before the port is open.
    security: { openUntilFirstAdmin: true, openSignUp: true, restrictedProfileIds: ['member'] },
    log: { level: 'error' },
  },
  plugins: [localAuth(), websocket(), membersOfMessages()],
});
const millrace = kernel.mount('/api');
const page = servePage(fileURLToPath(new URL('../dist', import.meta.url)));

await kernel.start();
await prepare(kernel, ADMIN_PASSWORD);
const server = createServer((request, response) =>
  millrace.request(request, response, () => page(request, response)),
).on('upgrade', (request, socket, head) => {
  if (!millrace.upgrade(request, socket, head)) socket.destroy();
});
server.listen(Number(PORT), HOST);
await once(server, 'listening');
console.log(`The chat is at http://${HOST}:${server.address().port}`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close();
    await kernel.stop();
  });
}
