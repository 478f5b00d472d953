import { loadConfig } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { websocketConfig } from './config.js';
import { websocket } from './index.js';

function load(environment: Readonly<Record<string, string>>, defaults = {}) {
  return loadConfig({ websocket: websocketConfig(defaults) }, { environment }).section<Record<string, unknown>>(
    'websocket',
  );
}

describe('websocketConfig', () => {
  it('has the defaults of the specification', () => {
    expect(load({})).toMatchObject({
      ...{ host: '127.0.0.1', port: 7513, maxMessageBytes: 1_048_576 },
      ...{ maxWaitingBytes: 8_388_608, maxStallMs: 10_000 },
    });
  });

  it('takes defaults from the program, and the environment above them', () => {
    expect(load({}, { port: 0 }).port).toBe(0);
    expect(load({ MILLRACE_WEBSOCKET_PORT: '7' }, { port: 0 }).port).toBe(7);
  });

  it.each([
    ['MILLRACE_WEBSOCKET_PORT', '70000'],
    ['MILLRACE_WEBSOCKET_HOST', ' '],
    ['MILLRACE_WEBSOCKET_MAX_MESSAGE_BYTES', '0'],
    ['MILLRACE_WEBSOCKET_MAX_WAITING_BYTES', '1.5'],
    ['MILLRACE_WEBSOCKET_MAX_STALL_MS', '-1'],
  ])('refuses %s=%s in one line that names the key', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(/^[^\n]*websocket\.[^\n]*$/);
  });

  it('belongs to a plugin that brings the protocol of this name', async () => {
    const names: string[] = [];
    const plugin = websocket({ port: 0 });
    const section = load({}, { port: 0 });
    const host = {
      config: { websocket: section },
      protocol: ({ name }: { name: string }) => names.push(name),
    };
    await plugin.setup(host as never);
    expect([plugin.name, names]).toEqual(['protocol-websocket', ['websocket']]);
    expect(plugin.config).toHaveProperty('websocket.port.default', 0);
  });
});
