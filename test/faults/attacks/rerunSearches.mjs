import { WebSocket } from 'ws';
import { HonestClient } from '../HonestClient.mjs';
import { textFrame } from '../RawWebSocket.mjs';
import { searchableDocuments } from '../searchableDocuments.mjs';

const FOLLOWS = 300;
const WRITE_EVERY_MS = 500;
const STAY_MS = 500;
/** Goal: the delta of another user after a write. */
const DELTA_MS = 250;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true, createOrReplace: true } },
    realtime: { actions: { follow: true } },
  },
};
const AT = { index: 'small', collection: 'docs' };
/** Scores make it run again after each write. */
const scored = (n) => ({ query: { match: { t: `forge ${n}` } }, size: 10 });

/** 300 followed searches of one user that run again after every write, while another user follows one. */
export const rerunSearches = {
  finding: 'S11',
  async prepare(server) {
    await searchableDocuments(server);
    return server.account('follower', ROLE);
  },
  /** Another user follows a search, and writes what changes it. */
  async before(_honest, server) {
    const { token: jwt } = await server.account('reader', ROLE);
    const socket = new WebSocket(server.urls.websocket, { localAddress: HonestClient.ADDRESS });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const waits = [];
    let writtenMs;
    socket.on('message', (data) => {
      const { action } = JSON.parse(data.toString());
      if (action !== 'followed' || writtenMs === undefined) return;
      waits.push(performance.now() - writtenMs);
      writtenMs = undefined;
    });
    const send = (fields) => socket.send(JSON.stringify({ ...AT, jwt, ...fields }));
    send({ controller: 'realtime', action: 'follow', body: scored('reader') });
    // The first search reads the documents into memory.
    await new Promise((resolve) => socket.once('message', resolve));
    const timer = setInterval(() => {
      // One that still waits counts from its write.
      if (writtenMs !== undefined || socket.readyState !== WebSocket.OPEN) return;
      writtenMs = performance.now();
      const body = { t: `forge reader ${waits.length}` };
      send({ controller: 'document', action: 'createOrReplace', _id: 'reader', body });
    }, WRITE_EVERY_MS);
    const end = () => {
      clearInterval(timer);
      socket.terminate();
      return writtenMs === undefined ? waits : [...waits, performance.now() - writtenMs];
    };
    return { waits, end };
  },
  async run(attacker) {
    const { token: jwt } = attacker.prepared;
    const fields = { controller: 'realtime', action: 'follow', ...AT, jwt };
    await attacker.crowd(1, async () => {
      const socket = await attacker.websocket();
      const frame = (number) => textFrame({ ...fields, body: scored(number) });
      await attacker.flood(socket, frame, { count: FOLLOWS, window: 4 });
      while (!attacker.isOver && !socket.isClosed) await attacker.pause(STAY_MS);
    });
    return attacker.sentCount < FOLLOWS ? `too few to count: expected ${FOLLOWS}` : undefined;
  },
  async check({ begun }) {
    const waits = begun.end().sort((a, b) => a - b);
    if (waits.length === 0) return 'the other user received no delta';
    const p99 = waits[Math.ceil(waits.length * 0.99) - 1];
    return p99 < DELTA_MS ? undefined : `delta of another user: p99 ${Math.round(p99)} ms of ${waits.length}`;
  },
};
