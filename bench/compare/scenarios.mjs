// What the comparison sends: each scenario prepares a server and gives a function that sends so many operations to it.
// Operations go out in bursts of 32, each once the one before is answered: both servers receive the same bursts,
// whatever their speed.
import { documentSource, MAPPING } from '../documents.mjs';
import { openRawHttp } from '../peers/rawHttp.mjs';
import { openRawWebsocket } from '../peers/rawWebsocket.mjs';

const BURST = 32;
const BATCH = 1_000;
const SEARCHED_DOCUMENTS = 20_000;
const FILTERS = 2_000;
/**
 * Of a slice. A collection with 10,000 new documents is indexed ahead of its first search once writes pause: that work,
 * some 16 µs a document on another thread, would count for the row after it.
 */
const CREATIONS = 480;
/** Of one connection. */
const MAX_SUBSCRIPTIONS = 1_000;

/** `count`: operations of a slice, some 0.1 s of a server's processor time. */
export const scenarios = [
  {
    title: '`server.now` over HTTP',
    count: 1_600,
    prepare: (ports) => {
      const send = httpBursts(ports);
      return (count) => send(count, () => ['GET', '/_now']);
    },
  },
  {
    title: '`document.get` over HTTP',
    count: 1_280,
    prepare: async (ports) => {
      await importDocuments(ports, 'read-http', BATCH);
      const send = httpBursts(ports);
      return (count) => send(count, (n) => ['GET', `/bench/read-http/${n % BATCH}`]);
    },
  },
  {
    title: '`document.get` over WebSocket',
    count: 4_096,
    prepare: async (ports) => {
      await importDocuments(ports, 'read', BATCH);
      const send = await websocketBursts(ports);
      const get = { controller: 'document', action: 'get', index: 'bench', collection: 'read' };
      return (count) => send(count, (n) => ({ ...get, _id: String(n % BATCH) }));
    },
  },
  {
    title: 'durable `create` over HTTP',
    count: CREATIONS,
    prepare: async (ports) => {
      await createCollection(ports, 'created-http');
      const send = httpBursts(ports);
      const { make } = documentSource(4);
      return (count) => send(count, () => ['POST', '/bench/created-http/_create', make()]);
    },
  },
  {
    title: 'durable `create` over WebSocket',
    count: CREATIONS,
    prepare: async (ports) => {
      await createCollection(ports, 'created');
      const send = await websocketBursts(ports);
      const { make } = documentSource(5);
      const create = { controller: 'document', action: 'create', index: 'bench' };
      return (count) => send(count, () => ({ ...create, collection: 'created', body: make() }));
    },
  },
  {
    title: '`update` over HTTP',
    count: 800,
    prepare: async (ports) => {
      await importDocuments(ports, 'updated', BATCH);
      const send = httpBursts(ports);
      return (count) => send(count, (n) => ['PUT', `/bench/updated/${n % BATCH}/_update`, { quantity: n }]);
    },
  },
  {
    title: '`search` in 20,000 documents over HTTP',
    count: 256,
    prepare: async (ports) => {
      await importDocuments(ports, 'searched', SEARCHED_DOCUMENTS);
      const send = httpBursts(ports);
      const { integer } = documentSource(6);
      const toRequest = () => {
        const low = integer(900);
        const filter = [
          { term: { status: `status-${integer(50)}` } },
          { range: { quantity: { gte: low, lt: low + 100 } } },
        ];
        return ['POST', '/bench/searched/_search', { query: { bool: { filter } }, size: 10 }];
      };
      // The first one builds the index.
      await send(1, toRequest);
      return (count) => send(count, toRequest);
    },
  },
  {
    title: 'bulk import, per document',
    count: 4_000,
    prepare: async (ports) => {
      await createCollection(ports, 'imported');
      return (count) => bulkImport(ports, 'imported', count);
    },
  },
  {
    title: '`publish` against 2,000 filters',
    count: 3_200,
    prepare: async (ports) => {
      const place = { controller: 'realtime', index: 'bench', collection: 'messages' };
      for (let first = 0; first < FILTERS; first += MAX_SUBSCRIPTIONS) {
        const subscribe = await websocketBursts(ports);
        await subscribe(MAX_SUBSCRIPTIONS, (n) => ({
          ...{ ...place, action: 'subscribe' },
          body: { equals: { owner: first + n } },
        }));
      }
      const send = await websocketBursts(ports);
      const text = 'a message of some length '.repeat(8);
      return (count) => send(count, (n) => ({ ...place, action: 'publish', body: { owner: n % FILTERS, text } }));
    },
  },
];

/**
 * @returns sends so many requests `[method, path, body]`, each of a burst on a separate connection; connections are opened
 *   each time, since a server closes those that wait for the other side for long
 */
function httpBursts({ http }) {
  let sent = 0;
  return async (count, toRequest) => {
    const connections = await Promise.all(Array.from({ length: BURST }, () => openRawHttp(http)));
    for (let left = count; left > 0; left -= BURST) {
      const burst = connections.slice(0, left);
      await Promise.all(burst.map(({ send }) => send(...toRequest(sent++))));
    }
    for (const { socket } of connections) socket.destroy();
  };
}

/** @returns sends so many requests on one connection */
async function websocketBursts({ websocket }) {
  let [missing, waiting, sent] = [0, undefined, 0];
  const { socket, send } = await openRawWebsocket(websocket, (text) => {
    if (!text.includes('"status":200')) waiting.reject(new Error(text));
    if (--missing === 0) waiting.resolve();
  });
  socket.on('error', (error) => waiting.reject(error));
  return async (count, toRequest) => {
    for (let left = count; left > 0; left -= BURST) {
      const size = Math.min(left, BURST);
      missing = size;
      socket.cork();
      for (let n = 0; n < size; n++) {
        const requestId = String(sent);
        send(JSON.stringify({ requestId, ...toRequest(sent++) }));
      }
      socket.uncork();
      await new Promise((resolve, reject) => (waiting = { resolve, reject }));
    }
  };
}

/** Into a new collection. */
async function importDocuments(ports, collection, count) {
  await createCollection(ports, collection);
  await bulkImport(ports, collection, count, (n) => ({ _id: String(n) }));
}

async function bulkImport(ports, collection, count, metaOf = () => ({})) {
  const { make } = documentSource(3);
  for (let first = 0; first < count; first += BATCH) {
    const lines = Array.from({ length: BATCH }, (_, n) => [{ create: metaOf(first + n) }, make()]);
    await ask(ports, 'POST', `/bench/${collection}/_bulk`, { bulkData: lines.flat() });
  }
}

const createCollection = (ports, collection) => ask(ports, 'PUT', `/bench/${collection}`, MAPPING);

async function ask({ http }, method, path, body) {
  const url = `http://127.0.0.1:${http}${path}`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  await answer.arrayBuffer();
}
