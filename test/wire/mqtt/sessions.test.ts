import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectMqtt, type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject, type ResponseMessage } from '@millrace/kernel';
import { mqtt } from '@millrace/protocol-mqtt';
import { Kernel } from '@millrace/server';

const AT = { index: 'plant', collection: 'orders' };
const PASSWORD = 'Long-enough-pass-1';
const CLIENT = 'press-4';

interface Received {
  readonly topic: string;
  readonly qos: number;
  readonly action: string;
  readonly error: unknown;
  readonly requestId: string;
  readonly cursor?: string;
  readonly result: JsonObject;
}

/** Polls for longer than a slow machine needs. */
const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 20_000 });

/** A client of the package mqtt that records everything, and may leave messages unacknowledged. */
class Device {
  readonly received: Received[] = [];
  requestNumber = 0;
  /** False: answers no message with PUBACK. */
  acknowledges = true;

  isSessionPresent = false;

  private constructor(readonly socket: MqttClient) {
    socket.handleMessage = (packet, done) => {
      const { topic, payload, qos } = packet as { topic: string; payload: Buffer; qos: number };
      this.received.push({ ...(JSON.parse(payload.toString()) as Received), topic, qos });
      if (this.acknowledges) done();
    };
  }

  static async connect(url: string, options: IClientOptions = {}): Promise<Device> {
    const given = { clientId: CLIENT, clean: false, reconnectPeriod: 0, ...options };
    const device = new Device(connectMqtt(url, given));
    await new Promise<void>((resolve, reject) => {
      device.socket.on('connect', ({ sessionPresent }) => {
        device.isSessionPresent = sessionPresent;
        resolve();
      });
      device.socket.on('error', reject);
    });
    return device;
  }

  async request(action: string, fields: JsonObject = {}): Promise<Received> {
    const requestId = `r${this.requestNumber++}`;
    const message = { controller: 'realtime', action, requestId, ...fields };
    await this.socket.publishAsync('millrace', JSON.stringify(message));
    const answer = () => this.received.find((each) => each.requestId === requestId);
    await eventually(() => answer() !== undefined).toBe(true);
    return answer() as Received;
  }

  /** Ids of the notifications, in order. */
  ids(channel: string): readonly unknown[] {
    return this.received
      .filter(({ topic, action }) => topic === channel && action === 'create')
      .map(({ result }) => result._id);
  }

  /** Breaks the connection, without DISCONNECT. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.socket.once('close', () => resolve(undefined)));
    this.socket.stream.destroy();
    await closed;
    await this.socket.endAsync(true);
  }
}

describe('persistent sessions over MQTT', () => {
  let dataDir: string;
  let kernel: Kernel;
  let url: string;
  let jwt: string;

  const start = async (more: JsonObject = {}) => {
    const config = { http: { port: 0 }, server: { dataDir }, mqtt: { port: 0 }, ...more };
    kernel = new Kernel({ config, plugins: [localAuth(), mqtt()], logger: silentLogger });
    const addresses = await kernel.start();
    url = addresses.find(({ protocol }) => protocol === 'mqtt')?.url ?? '';
  };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-mqtt-'));
    await start();
    const body = { _id: 'ada', password: PASSWORD };
    await kernel.execute({ controller: 'security', action: 'createFirstAdmin', body });
    const login = await kernel.execute({
      controller: 'auth',
      action: 'login',
      body: { strategy: 'local', username: 'ada', password: PASSWORD },
    });
    ({ jwt } = login.result as { readonly jwt: string });
  });
  afterEach(async () => {
    await kernel.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const execute = async (controller: string, action: string, fields: JsonObject = {}) => {
    const response: ResponseMessage = await kernel.execute({ controller, action, ...AT, jwt, ...fields });
    expect(response.error).toBeNull();
    return response.result as JsonObject;
  };
  const order = (_id: string) => execute('document', 'create', { _id, body: { n: 1 } });
  const names = async () => {
    const { names: listed } = await execute('realtime', 'listNames', { index: null, collection: null });
    return (listed as readonly JsonObject[]).map(({ name }) => name);
  };
  const connect = (options: IClientOptions = {}) => Device.connect(url, { username: 'jwt', password: jwt, ...options });
  const subscribe = async (device: Device) => {
    await device.socket.subscribeAsync(`mqtt.${CLIENT}`, { qos: 1 });
    const { result, error } = await device.request('subscribe', { ...AT, body: {} });
    expect(error).toBeNull();
    const channel = result.channel as string;
    await device.socket.subscribeAsync(channel, { qos: 1 });
    return channel;
  };

  it('send what the client has missed, and what it has not acknowledged (PROTO-66, PROTO-67)', async () => {
    const first = await connect();
    expect(first.isSessionPresent).toBe(false);
    const channel = await subscribe(first);
    await order('a');
    await eventually(() => first.ids(channel)).toEqual(['a']);
    // Acknowledged: the server stores it when the connection ends.
    await first.request('count', { roomId: channel.split('-')[0] ?? '' });
    first.acknowledges = false;
    await order('b');
    await eventually(() => first.ids(channel)).toEqual(['a', 'b']);
    await first.cut();
    await order('c');
    const second = await connect();
    expect(second.isSessionPresent).toBe(true);
    await eventually(() => second.ids(channel)).toEqual(['b', 'c']);
    expect(second.received.every(({ qos }) => qos === 1)).toBe(true);
    await order('d');
    await eventually(() => second.ids(channel)).toEqual(['b', 'c', 'd']);
    await second.cut();
  });

  it('begin at the subscription, whether or not anything was received, and survive a restart (PROTO-66)', async () => {
    const first = await connect();
    const channel = await subscribe(first);
    await first.socket.endAsync();
    await order('a');
    await kernel.stop();
    await start();
    await order('b');
    const second = await connect();
    expect(second.isSessionPresent).toBe(true);
    await eventually(() => second.ids(channel)).toEqual(['a', 'b']);
    await second.cut();
  });

  it('lose nothing over cuts under writes, also if the client subscribes again (PROTO-67)', async () => {
    const first = await connect();
    const channel = await subscribe(first);
    const devices = [first];
    const written: string[] = [];
    for (let round = 0; round < 15; round++) {
      const ids = Array.from({ length: 8 }, (_, n) => `r${round}.${n}`);
      written.push(...ids);
      const writing = Promise.all(ids.map(order));
      const device = devices.at(-1) as Device;
      if (round % 3 === 1) await subscribe(device);
      if (round % 2 === 0) await eventually(() => device.ids(channel).length > 0).toBe(true);
      await device.cut();
      devices.push(await connect());
      await writing;
    }
    const received = () => new Set(devices.flatMap((device) => device.ids(channel)));
    await eventually(() => received().size).toBe(written.length);
    expect(devices.flatMap((device) => device.received).filter(({ action }) => action === 'gap')).toEqual([]);
    await devices.at(-1)?.cut();
  }, 120_000);

  it('tell of a gap on the same topic, once it can no longer be closed (PROTO-68)', async () => {
    const first = await connect();
    const channel = await subscribe(first);
    await first.cut();
    await order('a');
    await execute('collection', 'eraseHistory');
    const second = await connect();
    const gaps = (device: Device) =>
      device.received.filter(({ topic, action }) => topic === channel && action === 'gap');
    await eventually(() => gaps(second).map(({ result }) => result.reason)).toEqual(['expired']);
    await order('b');
    await eventually(() => second.ids(channel)).toEqual(['b']);
    await second.socket.endAsync();
    await order('c');
    // The gap is acknowledged.
    const third = await connect();
    await eventually(() => third.ids(channel)).toEqual(['c']);
    expect(gaps(third)).toEqual([]);
    await third.cut();
  });

  it('end with a clean connection, an unsubscription, and don’t exist for anonymous clients (PROTO-66, PROTO-69)', async () => {
    const first = await connect();
    await subscribe(first);
    expect(await names()).toEqual([expect.stringMatching(/^mqtt:press-4:[0-9a-f]{16}$/)]);
    for (let n = 0; n < 5; n++) await first.request('subscribe', { ...AT, body: { equals: { n } } });
    await first.cut();
    const clean = await connect({ clean: true });
    expect(clean.isSessionPresent).toBe(false);
    await clean.cut();
    const third = await connect();
    expect(third.isSessionPresent).toBe(false);
    const channel = await subscribe(third);
    expect(await names()).toHaveLength(1);
    await third.socket.unsubscribeAsync(channel);
    await expect.poll(names, { timeout: 20_000 }).toEqual([]);
    await third.cut();
    const roles = { controllers: { realtime: { actions: { subscribe: true } } } };
    await execute('security', 'createOrReplaceRole', { index: null, collection: null, _id: 'anonymous', body: roles });
    const nobody = await Device.connect(url);
    await subscribe(nobody);
    await nobody.cut();
    const again = await Device.connect(url);
    expect(again.isSessionPresent).toBe(false);
    expect(await names()).toEqual([]);
    await again.cut();
  });
});
