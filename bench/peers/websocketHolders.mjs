// Opens raw connections to a Millrace server; each message of the parent, `own` or `shared`, lets every one of them subscribe
// once more, to a separate filter or to one that all share.
import { openRawWebsocket } from './rawWebsocket.mjs';

const [port, count] = process.argv.slice(2).map(Number);
const PLACE = { index: 'bench', collection: 'messages' };
const BATCH = 200;

const holders = [];
await inBatches(async () => {
  const holder = { answered: () => undefined };
  const { send } = await openRawWebsocket(port, (text) => holder.answered(JSON.parse(text)));
  holders.push(Object.assign(holder, { send }));
});

async function inBatches(work) {
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    await Promise.all(Array.from({ length: size }, (_, n) => work(done + n)));
  }
}

function subscribe(holder, owner) {
  return new Promise((resolve, reject) => {
    holder.answered = (answer) => {
      if (answer.status === 200) resolve();
      else reject(new Error(JSON.stringify(answer)));
    };
    const body = { equals: { owner } };
    const request = { requestId: 's', controller: 'realtime', action: 'subscribe', ...PLACE, body };
    holder.send(JSON.stringify(request));
  });
}

process.on('message', async (kind) => {
  await inBatches((n) => subscribe(holders[n], kind === 'own' ? `owner-${n}` : 'all'));
  process.send('subscribed');
});
process.on('disconnect', () => process.exit(0));
process.send('open');
