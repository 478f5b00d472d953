import { silentLogger } from '@millrace/kernel';
import { EmbeddedEngine } from './EmbeddedEngine.js';

/*
 * The process that durability.test.ts kills: increments counters under 16 keys, keeps a list in step with each counter
 * in a transaction, and prints a line with the time for each acknowledged step. The log is rewritten all the time.
 */
const KEYS = 16;

function say(...words: readonly (string | number)[]): void {
  // Writes to a pipe are synchronous here: a printed line is out even if the process is killed immediately.
  process.stdout.write(`${words.join(' ')}\n`);
}

async function main(dataDir: string, sync: 'everysec' | 'always'): Promise<void> {
  const engine = new EmbeddedEngine({
    dataDir,
    sync,
    maxMemory: 0,
    evictionPolicy: 'noeviction',
    maxValueBytes: 1_048_576,
    minRewriteBytes: 20_000,
    logger: silentLogger,
  });
  await engine.start();
  say('ready');
  const count = async (number: number) => {
    const [counter, list] = [`counter-${number}`, `list-${number}`];
    for (;;) {
      const transaction = engine.openTransaction();
      const outcome = await transaction.exec([
        ['INCR', counter],
        ['RPUSH', list, 'x'],
        ['LTRIM', list, '-50', '-1'],
      ]);
      transaction.close();
      say('put', number, String(outcome?.[0]), performance.now());
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: KEYS }, (_, number) => count(number)));
}

const [, , dataDir = '', sync] = process.argv;
main(dataDir, sync === 'always' ? 'always' : 'everysec').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
