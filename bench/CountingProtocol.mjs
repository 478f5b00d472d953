import { definePlugin } from '@millrace/kernel';

/** A lasting protocol without sockets: counts what the server sends. */
export class CountingProtocol {
  name = 'counting';
  notifier = this;
  plugin = definePlugin({
    name: 'counting-protocol',
    kernel: '*',
    setup: (host) => host.protocol(this),
  });
  /** Envelopes that were encoded for a channel. */
  publishedCount = 0;
  #connectionCount = 0;

  async start(host) {
    this.host = host;
    return { host: '', port: 0, url: 'counting:' };
  }

  async stop() {}

  /** A new connection; its `request` throws on failures and gives the result. */
  connect() {
    const { host } = this;
    const id = `counting-${++this.#connectionCount}`;
    const connection = { id, protocol: this.name, remoteAddress: `10.0.0.${id.length}` };
    host.connectionOpened(connection);
    return async (fields) => {
      const { message } = await host.dispatch(host.createRequest(fields, connection));
      if (message.error !== null) throw new Error(JSON.stringify(message.error));
      return message.result;
    };
  }

  join() {}
  leave() {}
  notify() {}

  publish() {
    this.publishedCount++;
  }
}
