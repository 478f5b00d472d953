import { loadConfig, type ProtocolHost } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { mqttConfig, type MqttConfig } from './config.js';
import { mqtt } from './index.js';
import { MqttProtocol } from './MqttProtocol.js';

function load(environment: Readonly<Record<string, string>>, defaults = {}) {
  return loadConfig({ mqtt: mqttConfig(defaults) }, { environment }).section<Record<string, unknown>>('mqtt');
}

describe('mqttConfig', () => {
  it('has the defaults of the specification', () => {
    expect(load({})).toMatchObject({
      ...{ host: '127.0.0.1', port: 1883, maxMessageBytes: 1_048_576 },
      ...{ maxWaitingBytes: 8_388_608, maxStallMs: 10_000 },
    });
  });

  it('takes defaults from the program, and the environment above them', () => {
    expect(load({}, { port: 0 }).port).toBe(0);
    expect(load({ MILLRACE_MQTT_PORT: '7' }, { port: 0 }).port).toBe(7);
  });

  it('switches MQTT off', async () => {
    const { listen } = load({ MILLRACE_MQTT_LISTEN: 'false' });
    const protocol = new MqttProtocol({
      ...load({}, { port: 0 }),
      listen,
    } as unknown as MqttConfig);
    // It touches nothing of the host.
    expect(await protocol.start({} as ProtocolHost)).toBeNull();
    await protocol.stop();
  });

  it.each([
    ['MILLRACE_MQTT_PORT', '70000'],
    ['MILLRACE_MQTT_HOST', ' '],
    ['MILLRACE_MQTT_MAX_MESSAGE_BYTES', '0'],
    ['MILLRACE_MQTT_MAX_WAITING_BYTES', '1.5'],
    ['MILLRACE_MQTT_MAX_STALL_MS', '-1'],
  ])('refuses %s=%s in one line that names the key', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(/^[^\n]*mqtt\.[^\n]*$/);
  });

  it('belongs to a plugin that brings the protocol of this name', async () => {
    const names: string[] = [];
    const plugin = mqtt({ port: 0 });
    const section = load({}, { port: 0 });
    const host = {
      config: { mqtt: section },
      hook: () => undefined,
      protocol: ({ name }: { name: string }) => names.push(name),
    };
    await plugin.setup(host as never);
    expect([plugin.name, names]).toEqual(['protocol-mqtt', ['mqtt']]);
    expect(plugin.config).toHaveProperty('mqtt.port.default', 0);
  });
});
