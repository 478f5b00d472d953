// Millrace below /api of a Koa application, on its port. The same goes for everything that is a listener of node:http.
import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';
import { createKernel } from './createKernel.mjs';
import { searchBooks } from './searchBooks.mjs';

const kernel = createKernel();
const millrace = kernel.mount('/api');

const app = new Koa();
app.use(async (context) => {
  if (context.path === '/books') {
    Object.assign(context, await searchBooks(kernel, String(context.query.title ?? '')));
  } else if (context.path === '/') context.body = 'A page of the application';
});

await kernel.start();
const handler = app.callback();
const server = createServer((request, response) =>
  millrace.request(request, response, () => handler(request, response)),
);
server.on('upgrade', (request, socket, head) => {
  if (!millrace.upgrade(request, socket, head)) socket.destroy();
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
await once(server, 'listening');
console.log(`The application listens on http://127.0.0.1:${server.address().port}`);

// The kernel handles no signals: when to stop is the application's affair.
process.once('SIGTERM', async () => {
  server.close();
  await kernel.stop();
});
