// One attack in a separate process: started by attack.mjs, ends by itself.
import { setPriority } from 'node:os';
import { Attacker } from './Attacker.mjs';

const GRACE_MS = 5_000;
// The server and the honest client go first: on two cores a flood would measure the machine otherwise.
const LOW_PRIORITY = 10;

process.once('message', async ({ name, urls, seconds, prepared }) => {
  setPriority(LOW_PRIORITY);
  const { [name]: attack } = await import(`./attacks/${name}.mjs`);
  const attacker = new Attacker({ urls, seconds, prepared });
  const end = (note) => {
    const { sentCount, answers } = attacker;
    // A message in flight when the process exits would be lost.
    process.send({ sentCount, answers, note }, () => process.exit(0));
  };
  // The server has ended: the counts so far.
  process.once('message', () => end(undefined));
  setTimeout(() => end('ended late'), seconds * 1000 + GRACE_MS);
  try {
    // `run` may return a note, such as that it could not send all.
    end(await attack.run(attacker));
  } catch (error) {
    end(`the attack failed: ${error.stack}`);
  }
});
// The parent is gone.
process.once('disconnect', () => process.exit(1));
