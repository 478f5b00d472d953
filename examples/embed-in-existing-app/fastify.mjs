// Millrace below /api of a Fastify application, on its port: HTTP and WebSocket.
import { createServer } from 'node:http';
import Fastify from 'fastify';
import { createKernel } from './createKernel.mjs';
import { searchBooks } from './searchBooks.mjs';

const kernel = createKernel();
const millrace = kernel.mount('/api');

const app = Fastify({
  // In front of Fastify, so that its body parsers don't read what is for Millrace.
  serverFactory: (handler) =>
    createServer((request, response) => millrace.request(request, response, () => handler(request, response))).on(
      'upgrade',
      (request, socket, head) => {
        if (!millrace.upgrade(request, socket, head)) socket.destroy();
      },
    ),
});
app.addHook('onReady', async () => {
  await kernel.start();
});
// Before the server closes: that waits for the WebSockets to end.
app.addHook('preClose', () => kernel.stop());
app.get('/', () => 'A page of the application');
app.get('/books', async (request, reply) => {
  const { status, body } = await searchBooks(kernel, String(request.query.title ?? ''));
  return reply.code(status).send(body);
});

const url = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`The application listens on ${url}`);

// The kernel handles no signals: when to stop is the application's affair.
process.once('SIGTERM', () => void app.close());
