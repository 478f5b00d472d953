// Durable creates by 64 concurrent callers of kernel.execute against SQLite alone, one transaction per document.
import { randomBytes } from 'node:crypto';
import { documentSource, MAPPING } from '../documents.mjs';
import { openKernel } from '../openKernel.mjs';
import { plainSqlite } from '../peers/plainSqlite.mjs';
import { inTurn } from '../inTurn.mjs';
import { perSecond } from '../perSecond.mjs';

const CALLERS = 64;

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 2_000 : 20_000;
  const opened = await openKernel();
  await opened.request({
    controller: 'collection',
    action: 'create',
    index: 'bench',
    collection: 'create',
    body: MAPPING,
  });
  const plain = plainSqlite();
  const source = documentSource(7);
  const documents = Array.from({ length: count }, () => source.make());
  const figures = { ours: [], peer: [] };
  const single = [];
  for (let round = -1; round < rounds; round++) {
    const sides = {
      ours: () => perSecond(count, () => createAll(opened.request, documents, CALLERS)),
      peer: () => perSecond(count / 4, () => insertAll(plain, documents.slice(0, count / 4))),
    };
    const [mine, theirs] = await inTurn(round, sides);
    const alone = await perSecond(count / 10, () => createAll(opened.request, documents.slice(0, count / 10), 1));
    // The first round warms up.
    if (round < 0) continue;
    figures.ours.push(mine);
    figures.peer.push(theirs);
    single.push(alone);
  }
  await opened.close();
  plain.close();
  yield {
    title: `durable document.create, ${CALLERS} callers`,
    unit: 'documents/s',
    ...figures,
    target: '≥ 5 (where a sync costs ≥ 0.5 ms)',
  };
  yield { title: 'the same, 1 caller', unit: 'documents/s', ours: single, peer: figures.peer };
}

async function createAll(request, documents, callers) {
  let next = 0;
  const caller = async () => {
    while (next < documents.length) {
      await request({
        controller: 'document',
        action: 'create',
        index: 'bench',
        collection: 'create',
        body: documents[next++],
      });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

function insertAll({ insert }, documents) {
  for (const document of documents) insert.run(randomBytes(15).toString('base64url'), JSON.stringify(document));
}
