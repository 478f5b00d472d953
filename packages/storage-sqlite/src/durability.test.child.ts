import type { WriteOperation } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { createSqliteEngine } from './SqliteEngine.js';

/*
 * The process that durability.test.ts kills. Eight writers create a document, replace it twice and delete some, every
 * fourth round as a bulk, and print a line for each acknowledged step. They print it before the next step begins, so
 * the parent's record is at most one step behind each document.
 */
const NAME = { index: 'books', collection: 'kills' };
const WRITERS = 8;
const BULK_SIZE = 40;

function say(...words: readonly (string | number)[]): void {
  // Writes to a pipe are synchronous here: the line arrives even if the process is killed now.
  process.stdout.write(`${words.join(' ')}\n`);
}

async function main(dataDir: string): Promise<void> {
  const engine = createSqliteEngine({ dataDir });
  await engine.start();
  await engine.createCollection(NAME, parseMapping({ properties: {} }));
  await engine.changeLog.cover(NAME);
  const run = String(process.pid);

  const step = async (operation: WriteOperation) => {
    const [outcome] = await engine.write([operation], false);
    if (outcome?.status === 'failed') throw outcome.error;
    return outcome?.version ?? 0;
  };
  const source = (id: string, version: number) => ({
    id,
    version,
    filler: `${id}/${version} `.repeat(30),
  });

  const writer = async (number: number) => {
    for (let round = 0; ; round += 1) {
      const id = `${run}-${number}-${round}`;
      if (round % 4 === 3) {
        const ids = Array.from({ length: BULK_SIZE }, (_, i) => `${id}-${i}`);
        await engine.write(
          ids.map((one) => ({
            ...NAME,
            id: one,
            kind: 'put',
            source: source(one, 1),
            condition: 'absent',
          })),
          false,
        );
        say('bulk', id, BULK_SIZE);
        continue;
      }
      for (let version = 1; version <= 3; version += 1) {
        const condition = version === 1 ? 'absent' : version - 1;
        const written = await step({
          ...NAME,
          id,
          kind: 'put',
          source: source(id, version),
          condition,
        });
        say('put', id, written);
      }
      if (round % 2 === 1) {
        await step({ ...NAME, id, kind: 'delete', condition: 3 });
        say('gone', id);
      }
    }
  };
  say('ready');
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
