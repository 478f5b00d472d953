import { cityData, MAPPINGS } from './cityData.mjs';

const INDEX = 'city';
// A program acts in whose name it says: the import works on a server that is locked down too.
const IMPORTER = { _id: 'city-import', profileIds: ['admin'] };
const BATCH = 1000;

/**
 * Imports the city through the bulk action at the first start, with a progress line; later starts find it there.
 * @param {import('@millrace/server').Kernel} kernel a started kernel
 * @param {(line: string, isLast: boolean) => void} tell shows the progress
 */
export async function importCity(kernel, notify = progress) {
  const exists = await run(kernel, { controller: 'index', action: 'exists', index: INDEX });
  if (exists) return;
  const data = cityData();
  const total = data.stations.length + data.trips.length;
  let done = 0;
  for (const [collection, documents] of Object.entries(data)) {
    await run(kernel, {
      controller: 'collection',
      action: 'create',
      index: INDEX,
      collection,
      body: MAPPINGS[collection],
    });
    for (let start = 0; start < documents.length; start += BATCH) {
      const bulkData = documents.slice(start, start + BATCH).flatMap(({ _id, ...body }) => [{ create: { _id } }, body]);
      await run(kernel, {
        controller: 'bulk',
        action: 'import',
        index: INDEX,
        collection,
        body: { bulkData },
      });
      done += bulkData.length / 2;
      notify(`Importing the example city: ${done} of ${total} documents`, done === total);
    }
  }
}

async function run(kernel, request) {
  const { status, error, result } = await kernel.execute(request, { user: IMPORTER });
  if (status !== 200) throw new Error(`${request.controller}.${request.action}: ${error?.message}`);
  return result;
}

function progress(text, isLast) {
  // A terminal shows one line that counts; a log file gets the last state alone.
  if (process.stdout.isTTY) process.stdout.write(`\r${text}${isLast ? '\n' : ''}`);
  else if (isLast) process.stdout.write(`${text}\n`);
}
