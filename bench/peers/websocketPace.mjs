// Healthy subscribers of one channel, one that reads nothing where the parent wants it, and a publisher at a steady pace.
// Answers each job of the parent, `{ seconds, perSecond, bytes, isSlowThere }`, with the latencies of the healthy ones.
import { openRawWebsocket } from './rawWebsocket.mjs';

const [port, count] = process.argv.slice(2).map(Number);
const PLACE = { index: 'bench', collection: 'pace' };
const TICK_MS = 10;

let latenciesMs = [];
await Promise.all(Array.from({ length: count }, () => subscribe(() => undefined)));

function subscribe(onOpen) {
  return new Promise((resolve, reject) => {
    const onText = (text) => {
      const message = JSON.parse(text);
      if (message.room !== 's') latenciesMs.push(performance.now() - message.result._source.sentAtMs);
      else if (message.status === 200) resolve();
      else reject(new Error(text));
    };
    const request = { requestId: 's', controller: 'realtime', action: 'subscribe', ...PLACE };
    openRawWebsocket(port, onText).then((client) => {
      onOpen(client);
      client.send(JSON.stringify({ ...request, body: {} }));
    }, reject);
  });
}

const publisher = await openRawWebsocket(port, () => undefined);

process.on('message', async ({ seconds, perSecond, bytes, isSlowThere }) => {
  latenciesMs = [];
  const text = 'x'.repeat(bytes);
  const startMs = performance.now();
  if (isSlowThere) {
    let slow;
    await subscribe((client) => (slow = client));
    slow.socket.pause();
    slow.socket.on('error', () => undefined);
  }
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(seconds * perSecond, ((performance.now() - startMs) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const body = { text, sentAtMs: performance.now() };
      const request = { requestId: `p${sent}`, controller: 'realtime', action: 'publish' };
      publisher.send(JSON.stringify({ ...request, ...PLACE, body }));
    }
    if (sent < seconds * perSecond || latenciesMs.length < sent * count) return;
    clearInterval(timer);
    latenciesMs.sort((a, b) => a - b);
    const at = (part) => latenciesMs[Math.floor(latenciesMs.length * part)];
    process.send({ p50Ms: at(0.5), p99Ms: at(0.99) });
  }, TICK_MS);
});
process.on('disconnect', () => process.exit(0));
process.send('open');
