import { connect } from 'node:net';
import { once } from 'node:events';
import type { Chance } from '@millrace/wire-testing';

/*
 * Long-polling requests that the engine's protocol forbids, sent within a session that has joined: the expected
 * response, and whether the session continues. `over`: the session has ended, and its polls return 400 once the end
 * has been reported; `told`: its next poll returns 413, and then it has ended.
 */
export interface MalformedPoll {
  readonly name: string;
  readonly statuses: readonly number[];
  readonly session: 'alive' | 'over' | 'told';
  /** Sends it. @returns the status; 0 if the connection was closed instead */
  send(place: SessionPlace): Promise<number>;
}

/** URL of a session. */
export interface SessionPlace {
  readonly port: number;
  /** Including the query with its version and transport. */
  readonly url: string;
  readonly sid: string;
}

const SEPARATOR = '\x1e';
const BAD_PACKETS = [
  '',
  '7',
  'x',
  '\0',
  '{}',
  'é',
  '-1',
  SEPARATOR,
  `2${SEPARATOR}${SEPARATOR}2`,
  '\ud83d',
  '4'.repeat(0),
];
// Invalid socket.io packets: no type, no JSON, types only sent by servers, another namespace.
const BAD_MESSAGES = [
  '4',
  '47',
  '4x',
  '42[',
  '42{}',
  '42[]',
  '42["millrace"',
  '42[{}]',
  '45-["millrace"]',
  '45x-[]',
  '44',
  '40',
  '42/nowhere,["millrace",{}]',
  '42["disconnect"]',
  '4,',
];

/** @param maxMessageBytes of the server */
export function malformedPoll(chance: Chance, maxMessageBytes: number): MalformedPoll {
  if (chance.below(100) === 0) return tooLarge(chance, maxMessageBytes);
  const kinds: readonly (() => MalformedPoll)[] = [
    () => ({ ...body('an event or acknowledgement of nothing', chance.pick(['42', '43'])), session: 'alive' }),
    () => body('no packet', chance.pick(BAD_PACKETS)),
    () => body('no message of socket.io', chance.pick(BAD_MESSAGES)),
    () => ({
      ...{ name: 'another method', statuses: [405], session: 'alive' },
      send: ({ url, sid }) => ask(`${url}&sid=${sid}`, { method: chance.pick(['PUT', 'DELETE', 'PATCH', 'HEAD']) }),
    }),
    () => ({
      ...{ name: 'bytes instead of text', statuses: [400], session: 'over' },
      send: ({ url, sid }) =>
        ask(`${url}&sid=${sid}`, {
          ...{ method: 'POST', body: new Uint8Array(chance.bytes(1 + chance.below(50))) },
          headers: { 'content-type': 'application/octet-stream' },
        }),
    }),
    () => ({
      ...{ name: 'unknown session', statuses: [400], session: 'alive' },
      send: ({ url, sid }) =>
        ask(`${url}&sid=${chance.pick(['__proto__', 'constructor', 'x', `${sid}x`, sid.slice(1), '%00'])}`),
    }),
    () => ({
      ...{ name: 'other transport', statuses: [400], session: 'alive' },
      send: ({ url, sid }) =>
        ask(`${url.replace('=polling', chance.pick(['=websocket', '=webtransport', '=x', '=']))}&sid=${sid}`),
    }),
    () => ({
      ...{ name: 'other version', statuses: [400], session: 'alive' },
      send: ({ url, sid }) =>
        ask(`${url.replace('EIO=4', chance.pick(['EIO=3', 'EIO=5', 'EIO=', 'x=y']))}&sid=${sid}`),
    }),
    () => ({
      ...{ name: 'two polls at once', statuses: [400], session: 'over' },
      send: async ({ url, sid }) => {
        for (;;) {
          const both = await Promise.all([ask(`${url}&sid=${sid}`), ask(`${url}&sid=${sid}`)]);
          // A ping may have answered the first one before the second one came.
          if (both.some((status) => status !== 200)) return Math.max(...both);
        }
      },
    }),
    () => ({
      ...{ name: 'half a body', statuses: [0], session: 'over' },
      send: (place) => sendHalf(place, chance),
    }),
  ]; // prettier-ignore
  return chance.pick(kinds)();
}

function body(name: string, text: string): MalformedPoll {
  return {
    ...{ name: `${name}: ${JSON.stringify(text)}`, statuses: [200], session: 'over' },
    send: ({ url, sid }) => ask(`${url}&sid=${sid}`, { method: 'POST', body: text }),
  };
}

function tooLarge(chance: Chance, maxMessageBytes: number): MalformedPoll {
  const isRead = chance.below(2) === 0;
  const text = `42["millrace",{"a":"${'x'.repeat(isRead ? maxMessageBytes : 2 * maxMessageBytes)}"}]`;
  return {
    name: `a message of ${text.length} bytes`,
    statuses: [isRead ? 200 : 413],
    session: isRead ? 'told' : 'alive',
    send: ({ url, sid }) => ask(`${url}&sid=${sid}`, { method: 'POST', body: text }),
  };
}

/** The status of a response; 0 if the connection was closed instead. */
async function ask(url: string, init: RequestInit = {}): Promise<number> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers, connection: 'close' },
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Sends a body shorter than the announced length. */
async function sendHalf({ port, url, sid }: SessionPlace, chance: Chance): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const { search } = new URL(url);
  const text = '42["millrace",{}]'.slice(0, chance.below(10));
  const length = 20 + chance.below(1_000);
  const head = `POST /socket.io/${search}&sid=${sid} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  socket.resume();
  socket.end(`${head}${text}`);
  await once(socket, 'close');
  return 0;
}
