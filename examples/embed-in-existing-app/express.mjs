// Millrace below /api of an Express application, on its port: HTTP and WebSocket.
import { once } from 'node:events';
import express from 'express';
import { createKernel } from './createKernel.mjs';
import { searchBooks } from './searchBooks.mjs';

const kernel = createKernel();
const millrace = kernel.mount('/api');

const app = express();
app.use(millrace.request); // what isn't below /api goes on to the rest
app.use(express.json());
app.get('/', (_, response) => response.send('A page of the application'));
app.get('/books', async (request, response) => {
  const { status, body } = await searchBooks(kernel, String(request.query.title ?? ''));
  response.status(status).json(body);
});

await kernel.start();
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
server.on('upgrade', (request, socket, head) => {
  if (!millrace.upgrade(request, socket, head)) socket.destroy();
});
await once(server, 'listening');
console.log(`The application listens on http://127.0.0.1:${server.address().port}`);

// The kernel handles no signals: when to stop is the application's affair.
process.once('SIGTERM', async () => {
  server.close();
  await kernel.stop();
});
