// Opens connections that subscribe to one owner each, and publishes messages on one more: for each job of the parent
// `{ count, inFlight }` so many, each received by one subscriber. Answers with the latencies, sent to received.
import { openRawWebsocket } from './rawWebsocket.mjs';

const [port, count] = process.argv.slice(2).map(Number);
const PLACE = { index: 'bench', collection: 'messages' };
const BATCH = 100;

let heard = () => undefined;
for (let opened = 0; opened < count; opened += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, count - opened) }, (_, n) => subscribe(opened + n));
  await Promise.all(batch);
}

function subscribe(owner) {
  return new Promise((resolve, reject) => {
    const onText = (text) => {
      const message = JSON.parse(text);
      if (message.room === 's') {
        if (message.status === 200) resolve();
        else reject(new Error(text));
      } else heard(message.result._source.sentAtMs);
    };
    const body = { equals: { owner: `owner-${owner}` } };
    const request = { requestId: 's', controller: 'realtime', action: 'subscribe', ...PLACE, body };
    openRawWebsocket(port, onText).then(({ send }) => send(JSON.stringify(request)), reject);
  });
}

const publisher = await openRawWebsocket(port, () => undefined);
let number = 0;

function publish() {
  const owner = `owner-${(number * 7_919) % count}`;
  const body = { owner, text: 'a message of some length '.repeat(8), sentAtMs: performance.now() };
  const request = { requestId: `p${number++}`, controller: 'realtime', action: 'publish' };
  publisher.send(JSON.stringify({ ...request, ...PLACE, body }));
}

process.on('message', ({ count: total, inFlight }) => {
  const latenciesMs = [];
  const startMs = performance.now();
  let sent = Math.min(inFlight, total);
  heard = (sentAtMs) => {
    latenciesMs.push(performance.now() - sentAtMs);
    if (sent < total) {
      sent++;
      publish();
    }
    if (latenciesMs.length === total) {
      process.send({ latenciesMs, seconds: (performance.now() - startMs) / 1000 });
    }
  };
  for (let n = 0; n < sent; n++) publish();
});
process.on('disconnect', () => process.exit(0));
process.send('open');
