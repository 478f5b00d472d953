import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { MeasuredServer } from '../MeasuredServer.js';
import { MqttSocket } from '../MqttSocket.js';
import { addressOf, crowd, type Opened, type Row } from '../Row.js';
import { WebSocketClient } from '../WebSocketClient.js';

const WIDTH = 100;
const UPGRADE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const BUDGET_BYTES = 32 * 2 ** 20;
/** One poll of 2 MiB could bring ten times as many. */
const PACKETS_TIMES = 4;
const PACKETS = 1_000;
const BUDGET = { server: { maxBytesInFlight: BUDGET_BYTES } };
const PART = 'x'.repeat(60_000);
/** The first 60,000 bytes of a message of 1 MB: FIN, text, masked with 0, a length of 64 bits. */
const PART_OF_FRAME = Buffer.concat([
  Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40, 0, 0, 0, 0]),
  Buffer.from(PART),
]);
/** The same of a PUBLISH of 1,000,000 bytes to `millrace`. */
const PART_OF_PUBLISH = Buffer.concat([Buffer.from([0x30, 0xc0, 0x84, 0x3d, 0, 8]), Buffer.from(`millrace${PART}`)]);

/** Raw connections, and what opens them. */
class Sockets {
  private open: Socket[] = [];

  constructor(
    private readonly protocol: string,
    /** Sends what the server shall hold. */
    private readonly begin: (socket: Socket, n: number, server: MeasuredServer) => Promise<void>,
  ) {}

  readonly fill = async (server: MeasuredServer, count: number): Promise<Opened> => {
    const { hostname, port } = new URL(server.urls[this.protocol] ?? '');
    const ended = await crowd(count, WIDTH, async (n) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      this.open.push(socket);
      await once(socket, 'connect');
      await this.begin(socket, n, server);
      return undefined;
    });
    // What the last ones have sent arrives, and refusals come back.
    await server.settled();
    const left = this.open.filter((socket) => !socket.destroyed && !socket.readableEnded);
    const isAll = left.length >= ended.count;
    return {
      count: left.length,
      ...(!isAll && { refusal: `${ended.count - left.length} closed` }),
    };
  };

  readonly release = async (): Promise<void> => {
    await closeAll(this.open.splice(0));
  };
}

async function closeAll(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      if (socket.destroyed) return;
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }),
  );
}

/** Sends, and waits until the kernel has taken it. */
const write = (socket: Socket, data: string | Buffer) =>
  new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(data, () => resolve());
    // A refusal is read, so that the end of the connection is noticed.
    socket.resume();
  });

const answerTo = async (socket: Socket, data: string) => {
  const answered = once(socket, 'data');
  socket.write(data);
  await answered;
};

const forwardedFor = (n: number) => `X-Forwarded-For: ${addressOf(n)}\r\n`;

const idleHttp = new Sockets('http', (socket, n) =>
  answerTo(socket, `GET /_now HTTP/1.1\r\nHost: localhost\r\n${forwardedFor(n)}\r\n`),
);
const halfHeads = new Sockets('http', (socket) =>
  write(socket, `POST /city/stations HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'h'.repeat(8_000)}`),
);
const halfBodies = new Sockets('http', (socket, n) =>
  write(
    socket,
    `POST /city/stations/_create HTTP/1.1\r\nHost: localhost\r\n${forwardedFor(n)}` +
      `Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"a":"${PART}`,
  ),
);
const streams = new Sockets('http', async (socket, n, server) => {
  const made = await server.expect('POST', '/_ticket', { address: addressOf(n) });
  const ticket = made['ticket'] as string;
  await answerTo(
    socket,
    `GET /city/stations/_subscribe?ticket=${ticket} HTTP/1.1\r\nHost: localhost\r\n` +
      `${forwardedFor(n)}Accept: text/event-stream\r\n\r\n`,
  );
});
const upgrade = (socket: Socket, n: number) => answerTo(socket, `${UPGRADE}${forwardedFor(n)}\r\n`);
const idleWebSockets = new Sockets('websocket', upgrade);
const halfMessages = new Sockets('websocket', async (socket, n) => {
  await upgrade(socket, n);
  await write(socket, PART_OF_FRAME);
});

/** MQTT connections, from a few addresses of this machine. */
class MqttSockets {
  private open: MqttSocket[] = [];

  constructor(private readonly begin: (socket: MqttSocket) => Promise<void>) {}

  readonly fill = async (server: MeasuredServer, count: number): Promise<Opened> => {
    const url = server.urls['mqtt'] ?? '';
    const ended = await crowd(count, WIDTH, async (n) => {
      const socket = await MqttSocket.open(url, `c${n}`, {
        localAddress: `127.0.0.${2 + (n % 8)}`,
      });
      this.open.push(socket);
      await this.begin(socket);
      return undefined;
    });
    await server.settled();
    const left = this.open.filter(({ isClosed }) => !isClosed).length;
    return { count: left, ...(left < ended.count && { refusal: `${ended.count - left} closed` }) };
  };

  readonly release = async (): Promise<void> => {
    await Promise.all(this.open.splice(0).map((socket) => socket.close()));
  };
}

const idleMqtt = new MqttSockets(async () => undefined);
const halfPackets = new MqttSockets((client) => write(client.socket, PART_OF_PUBLISH));
/** Sessions of socket.io over polling: no socket stays open. */
class PollingSessions {
  private open: { readonly url: string; readonly address: string }[] = [];

  readonly fill = (server: MeasuredServer, count: number): Promise<Opened> =>
    crowd(count, WIDTH, async (n) => {
      const address = addressOf(n);
      const path = '/socket.io/?EIO=4&transport=polling';
      const opened = await server.send('fallback', 'GET', path, { address });
      if (opened.status !== 200) return String(opened.status);
      const { sid } = JSON.parse(opened.text.slice(1)) as { sid: string };
      const url = `${path}&sid=${sid}`;
      this.open.push({ url, address });
      const { status } = await server.send('fallback', 'POST', url, { address, text: '40' });
      return status === 200 ? undefined : String(status);
    });

  /** Sends the packet that closes a session. */
  readonly release = async (server: MeasuredServer): Promise<void> => {
    const sessions = this.open.splice(0);
    await crowd(sessions.length, WIDTH, async (n) => {
      const { url = '', address = '' } = sessions[n] ?? {};
      await server.send('fallback', 'POST', url, { address, text: '1' });
      return undefined;
    });
  };
}

const pollingSessions = new PollingSessions();

/** Packets of polls, behind a request that waits. */
const fallbackRequests: Row = {
  name: 'requests waiting on a connection of the fallback protocol',
  config: { fallback: { maxRunningRequests: 1 } },
  // fallback.maxWaitingBytes
  counted: { bytesInAll: 8 * 2 ** 20 },
  open: async (server, count) => {
    const path = '/socket.io/?EIO=4&transport=polling';
    const { text } = await server.send('fallback', 'GET', path);
    const { sid } = JSON.parse(text.slice(1)) as { sid: string };
    const post = async (packets: string) =>
      (await server.send('fallback', 'POST', `${path}&sid=${sid}`, { text: packets })).status;
    await post('40');
    await server.send('fallback', 'GET', `${path}&sid=${sid}`);
    const jwt = server.adminJwt;
    const wait = { controller: 'ms', action: 'blpop', _id: 'none', body: { timeout: 20 }, jwt };
    await post(`42${JSON.stringify(['millrace', wait])}`);
    const packets = Array.from({ length: PACKETS }, () => '42["millrace",{}]').join('\x1e');
    for (let sent = 0; sent < count * PACKETS_TIMES; sent += PACKETS) {
      const status = await post(packets);
      if (status !== 200) return { count: Math.max(1, sent), refusal: String(status) };
    }
    return { count: count * PACKETS_TIMES };
  },
};

const webSocketRequests: Row = {
  name: 'requests waiting on a WebSocket',
  config: { ...BUDGET, websocket: { maxRunningRequests: 1 } },
  counted: { bytesInAll: BUDGET_BYTES },
  open: async (server, count) => {
    const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
    waitingClients.push(client);
    const jwt = server.adminJwt;
    let answered = 0;
    const wait = { controller: 'ms', action: 'blpop', _id: 'none', body: { timeout: 20 }, jwt };
    for (let n = 0; n < count; n++) void client.request(wait).then(() => answered++);
    await server.settled();
    return { count: count - answered, ...(answered > 0 && { refusal: `${answered} answered` }) };
  },
  release: async () => {
    await Promise.all(waitingClients.splice(0).map((client) => client.close()));
  },
};
const waitingClients: WebSocketClient[] = [];

/** Connections, and requests of which a part has arrived. */
export const connectionRows: readonly Row[] = [
  {
    name: 'idle connections over HTTP',
    open: idleHttp.fill,
    release: idleHttp.release,
    counted: { bytesEach: 8_192 },
    maxCount: 10_000,
  },
  {
    name: 'half-sent heads over HTTP',
    open: halfHeads.fill,
    release: halfHeads.release,
    counted: { bytesEach: 16_384 + 8_192 },
    maxCount: 10_000,
  },
  {
    name: 'half-sent bodies over HTTP',
    config: BUDGET,
    open: halfBodies.fill,
    release: halfBodies.release,
    // And what 10,000 connections may take.
    counted: { bytesInAll: BUDGET_BYTES + 10_000 * 8_192 },
  },
  {
    name: 'streams of server-sent events, by a ticket each',
    open: streams.fill,
    release: streams.release,
    counted: { bytesEach: 16_384 },
    maxCount: 10_000,
  },
  {
    name: 'idle WebSockets',
    open: idleWebSockets.fill,
    release: idleWebSockets.release,
    counted: { bytesEach: 8_192 },
    maxCount: 50_000,
  },
  {
    name: 'half-sent messages over WebSocket',
    config: BUDGET,
    open: halfMessages.fill,
    release: halfMessages.release,
    counted: { bytesInAll: BUDGET_BYTES },
  },
  webSocketRequests,
  {
    name: 'sessions of the fallback protocol (polling)',
    // Sessions that don't poll would end while others begin.
    config: { fallback: { keepAliveMs: 600_000 } },
    open: pollingSessions.fill,
    release: pollingSessions.release,
    counted: { bytesEach: 16_384 },
    maxCount: 50_000,
  },
  fallbackRequests,
  {
    name: 'idle connections over MQTT',
    open: idleMqtt.fill,
    release: idleMqtt.release,
    counted: { bytesEach: 16_384 },
    maxCount: 50_000,
  },
  {
    name: 'half-sent packets over MQTT',
    config: BUDGET,
    open: halfPackets.fill,
    release: halfPackets.release,
    counted: { bytesInAll: BUDGET_BYTES },
  },
];
