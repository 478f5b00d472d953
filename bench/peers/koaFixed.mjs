// Bare koa + @koa/router, answering fixed bytes.
import Koa from 'koa';
import { Router } from '@koa/router';

const body = Buffer.from(process.env.BENCH_BODY);
const router = new Router();
router.get('/_now', (context) => {
  context.type = 'application/json; charset=utf-8';
  context.body = body;
});
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
});
