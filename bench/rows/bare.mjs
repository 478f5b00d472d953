// The same requests to a program of koa, @koa/router and SQLite.
import { once } from 'node:events';
import { forkPeer } from '../forkPeer.mjs';
import { sameRequests } from '../sameRequests.mjs';

export async function* rows(settings) {
  const { child, ready } = await forkPeer('bareServer');
  const peer = {
    name: 'bare koa and SQLite',
    pid: child.pid,
    port: ready.port,
    now: () => ['GET', '/now'],
    create: (document) => ['POST', '/documents', document],
    idOf: ({ _id }) => _id,
    get: (id) => ['GET', `/documents/${id}`],
    update: (id, changes) => ['PUT', `/documents/${id}`, changes],
    search: (range) => ['POST', '/search', range],
    bulk: (documents) => ['POST', '/bulk', documents],
  };
  try {
    yield* sameRequests(peer, settings);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
