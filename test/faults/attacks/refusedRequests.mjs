import { textFrame } from '../RawWebSocket.mjs';

const REQUESTS = 50_000;
const LARGE = 'l'.repeat(1_000_000);
const MEDIUM = 'm'.repeat(8_000);
const MAX_LOG_GROWTH_BYTES = 20_000_000;

/** 50,000 refused anonymous requests with names of 8 KB and 1 MB: the log must stay small. */
export const refusedRequests = {
  finding: 'M1',
  async before(_honest, server) {
    return { logBytes: server.logBytes() };
  },
  async run(attacker) {
    const get = { controller: 'document', action: 'get', index: 'i', collection: 'c', _id: 'd' };
    const variants = (name) =>
      ['index', 'collection', '_id', 'controller'].map((key) => textFrame({ ...get, [key]: name }));
    const [large, medium] = [variants(LARGE), variants(MEDIUM)];
    // Per second: 50 of 1 MB and 1,000 of 8 KB.
    const flood = async (frames, everyMs) => {
      const socket = await attacker.websocket();
      const left = Math.max(0, REQUESTS - attacker.sentCount);
      if (left === 0) return attacker.pause(1_000);
      await attacker.flood(socket, (n) => frames[n % frames.length], {
        count: Math.min(left, 500),
        window: 8,
        everyMs,
      });
      socket.destroy();
    };
    await Promise.all([attacker.crowd(4, () => flood(large, 80)), attacker.crowd(8, () => flood(medium, 8))]);
    return attacker.sentCount < REQUESTS / 2 ? `too few to count: expected ${REQUESTS}` : undefined;
  },
  async check({ server, begun }) {
    const grownBytes = server.logBytes() - begun.logBytes;
    if (grownBytes < MAX_LOG_GROWTH_BYTES) return undefined;
    return `the log grew by ${Math.round(grownBytes / 1e6)} MB`;
  },
};
