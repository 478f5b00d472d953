import type { JsonObject } from '@millrace/kernel';
import { MqttSocket } from '../MqttSocket.js';
import { crowd, type Row } from '../Row.js';
import { WebSocketClient } from '../WebSocketClient.js';

const CONNECTIONS = 4;
/** So many times the count: an entry is small. */
const MORE = 8;
const AT = { index: 'city', collection: 'stations' };

let devices: MqttSocket[] = [];
let runCount = 0;

const closeAll = async () => {
  await Promise.all(devices.map((device) => device.close()));
  devices = [];
};

/** A session that acknowledges all messages but the first. */
const unacknowledged: Row = {
  name: 'MQTT messages behind one that is not acknowledged',
  // Of 10,000 messages after the oldest that is not acknowledged.
  counted: { bytesInAll: 1_000_000 },
  open: async (server, count) => {
    const clientId = `device-${runCount++}`;
    const jwt = server.adminJwt;
    const login = { clean: false, username: 'jwt', password: jwt };
    const device = await MqttSocket.open(server.urls['mqtt'] ?? '', clientId, login);
    devices.push(device);
    await device.subscribe(`mqtt.${clientId}`);
    const answered = new Promise<JsonObject>((resolve) => {
      device.onMessage = (messageId, payload) => {
        device.acknowledge(messageId);
        resolve((JSON.parse(payload.toString()) as { result: JsonObject }).result);
      };
    });
    device.publish('millrace', { controller: 'realtime', action: 'subscribe', ...AT, body: {} });
    await device.subscribe((await answered)['channel'] as string);
    let received = 0;
    device.onMessage = (messageId) => {
      if (received++ > 0) device.acknowledge(messageId);
    };
    const publisher = await WebSocketClient.open(server.urls['websocket'] ?? '');
    const publish = { controller: 'realtime', action: 'publish', ...AT, jwt, body: { n: 1 } };
    await crowd(count * MORE, 50, async () => {
      const { status } = await publisher.request(publish);
      return status === 200 ? undefined : String(status);
    });
    await publisher.close();
    await server.settled();
    return { count: received, ...(received < count * MORE && { refusal: 'no further messages' }) };
  },
  release: closeAll,
};
/** Packet ids of QoS 2 that the client never releases. */
const unreleased: Row = {
  name: 'MQTT messages of QoS 2 that are not released',
  counted: { bytesInAll: CONNECTIONS * 65_536 },
  open: async (server, count) => {
    const url = server.urls['mqtt'] ?? '';
    for (let n = 0; n < CONNECTIONS; n++) devices.push(await MqttSocket.open(url, `two-${runCount++}`));
    const each = Math.min(65_535, count * 5);
    await Promise.all(
      devices.map(async (device) => {
        for (let id = 1; id <= each && !device.isClosed; id += 100) {
          const part = Array.from({ length: 100 }, (_, at) => id + at).filter((next) => next <= each);
          await Promise.all(part.map((next) => device.publishTwo('millrace', next)));
        }
      }),
    );
    await server.settled();
    const open = devices.filter(({ isClosed }) => !isClosed).length;
    const isAll = open === CONNECTIONS;
    return {
      count: each * Math.max(1, open),
      ...(!isAll && { refusal: `${CONNECTIONS - open} closed` }),
    };
  },
  release: closeAll,
};

/** State of MQTT other than connections. */
export const mqttRows: readonly Row[] = [unacknowledged, unreleased];
