import { textFrame } from '../RawWebSocket.mjs';

const DOCUMENTS = 300;
const DOCUMENT_CHARACTERS = 1_000_000;
const PER_BULK = 30;
const KEY_BYTES = 64 * 1_048_576;
const SMALL_KEY_BYTES = 8 * 1_048_576;
const HTTP_CLIENTS = 12;
const WEBSOCKET_CLIENTS = 8;
const STAY_MS = 8_000;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true } },
    ms: { actions: { get: true } },
    memoryStorage: { actions: { get: true } },
  },
};

/** 20 clients that ask for answers of 48 to 400 MB, over HTTP and WebSocket, and read nothing of them. */
export const unreadAnswers = {
  finding: 'M8',
  async prepare(server) {
    await server.call('PUT', '/large');
    const properties = { text: { type: 'keyword', index: false, doc_values: false } };
    await server.call('PUT', '/large/docs', { properties });
    const text = 'x'.repeat(DOCUMENT_CHARACTERS);
    for (let from = 0; from < DOCUMENTS; from += PER_BULK) {
      const bulkData = Array.from({ length: PER_BULK }, (_, n) => [
        { index: { _id: `d${from + n}` } },
        { text },
      ]).flat();
      await server.call('POST', '/large/docs/_bulk', { bulkData });
    }
    await server.call('POST', '/ms/_setrange/zeros', { offset: KEY_BYTES - 1, value: '\0' });
    await server.call('POST', '/ms/_setrange/few', { offset: SMALL_KEY_BYTES - 1, value: '\0' });
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token } = attacker.prepared;
    const searches = [10_000, 60].map((size) => ({ query: { match_all: {} }, size }));
    const keys = ['zeros', 'few'];
    const http = [
      ...searches.map((body) => post('/large/docs/_search', JSON.stringify(body), token)),
      ...keys.map((key) => get(`/ms/_get/${key}`, token)),
    ];
    const target = { controller: 'document', action: 'search', index: 'large', collection: 'docs' };
    const messages = [
      ...searches.map((body) => textFrame({ ...target, body, jwt: token })),
      ...keys.map((_id) => textFrame({ controller: 'ms', action: 'get', _id, jwt: token })),
    ];
    await Promise.all([
      attacker.crowd(HTTP_CLIENTS, async (number) => {
        attacker.sentCount++;
        const { socket, answered } = await attacker.rawHttp([http[number % http.length]], {
          reads: false,
        });
        await Promise.race([answered, attacker.pause(STAY_MS)]);
        socket.destroy();
        await attacker.pause(100);
      }),
      attacker.crowd(WEBSOCKET_CLIENTS, async (number) => {
        const socket = await attacker.websocket();
        socket.stopReading();
        attacker.sentCount++;
        socket.send(messages[number % messages.length]);
        await attacker.pause(STAY_MS);
        socket.destroy();
      }),
    ]);
  },
};

function get(path, token) {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
}

function post(path, body, token) {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
