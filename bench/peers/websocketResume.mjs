// Clients that come back: for each job `{ count, cursor, filters }` of the parent so many connections, each of which resumes
// from the cursor, with the filter `owner-<n>` or with none. Answers with the time until all are live, and with what came.
import { openRawWebsocket } from './rawWebsocket.mjs';

const [port] = process.argv.slice(2).map(Number);
const PLACE = { index: 'bench', collection: 'docs' };

function resume(n, { cursor, filters }) {
  return new Promise((resolve, reject) => {
    let replayed = 0;
    const onText = (text) => {
      const message = JSON.parse(text);
      if (message.replayed === true) replayed++;
      else if (message.action === 'resumed') resolve(replayed);
      else if (message.room === 's' && message.result?.resumed !== true) reject(new Error(text));
    };
    const body = filters ? { equals: { owner: `owner-${n}` } } : {};
    const request = { requestId: 's', controller: 'realtime', action: 'subscribe', ...PLACE, body };
    const mode = 'events';
    openRawWebsocket(port, onText).then(({ send }) => send(JSON.stringify({ ...request, cursor, mode })), reject);
  });
}

process.on('message', async (job) => {
  const startMs = performance.now();
  const counts = await Promise.all(Array.from({ length: job.count }, (_, n) => resume(n, job)));
  const replayed = counts.reduce((sum, count) => sum + count, 0);
  process.send({ ms: performance.now() - startMs, replayed });
});
process.on('disconnect', () => process.exit(0));
process.send('open');
