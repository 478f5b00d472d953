// What the README promises of `npm start`: the example server answers searches on real data, and stops on SIGTERM.
import assert from 'node:assert/strict';
import { startServer } from './startServer.mjs';

const server = await startServer(['npm', 'start']);
try {
  const ask = async (path, body) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()).result;
  };
  const { total, hits } = await ask('/city/stations/_search', {
    query: { match: { description: 'tram' } },
    size: 3,
  });
  assert.ok(total > 10 && hits.length === 3, `stations near the tram: ${total}`);
  assert.equal((await ask('/city/trips/_count', {})).count, 5400);
  console.log(`npm start: the example server answers (${total} stations near a tram stop)`);
} finally {
  await server.stop();
}
