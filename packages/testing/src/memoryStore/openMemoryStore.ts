import {
  definePlugin,
  type JsonObject,
  type JsonValue,
  type Plugin,
  type Protocol,
  type ProtocolHost,
} from '@millrace/kernel';
import { startTestKernel } from '../kernel/startTestKernel.js';
import type { OpenedMemoryStore } from './describeMemoryStore.js';

/**
 * Starts a kernel whose memory store uses the engine of a plugin, for `describeMemoryStore`.
 * @param plugin registers the engine: `host.engine('memoryStore', name, create)`
 * @param engine its name
 * @param config further configuration, such as the section of the plugin
 */
export async function openMemoryStore(
  plugin: Plugin,
  engine: string,
  config: JsonObject = {},
): Promise<OpenedMemoryStore> {
  const connections = new TestConnections();
  const bringsConnections = definePlugin({
    name: 'millrace-test-connections',
    kernel: '>=0.0.0',
    setup: (host) => host.protocol(connections),
  });
  const { close } = await startTestKernel({
    plugins: [plugin, bringsConnections],
    config: { ...config, memoryStore: { engine } },
  });
  return {
    close,
    call: (action, fields = {}, connectionId = 'test') =>
      connections.request({ controller: 'ms', action, ...fields }, connectionId),
  };
}

/** Persistent connections without sockets; those whose name begins with `http` count as HTTP. */
class TestConnections implements Protocol {
  readonly name = 'millrace-test';
  private host: ProtocolHost | undefined;

  async start(host: ProtocolHost): Promise<null> {
    this.host = host;
    return null;
  }

  async stop(): Promise<void> {
    this.host = undefined;
  }

  async request(fields: JsonObject, id: string): Promise<JsonValue> {
    const { host } = this;
    if (host === undefined) throw new Error('The kernel has stopped');
    const protocol = id.startsWith('http') ? 'http' : this.name;
    const connection = { id, protocol, remoteAddress: '127.0.0.1' };
    const { message } = await host.dispatch(host.createRequest(fields, connection));
    const { error } = message;
    if (error === null) return message.result;
    throw new Error(typeof error.message === 'string' ? error.message : JSON.stringify(error));
  }
}
