// The WebSocket plugin alone: every connection subscribes to one channel; each message of the parent is published on it.
import { ActionTable, ByteBudget, createRequest } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { reportFootprint } from './websocketFootprint.mjs';

let protocol;
const { config, setup } = websocket();
const defaults = Object.entries(config.websocket).map(([key, { default: value }]) => [key, value]);
await setup({
  config: { websocket: { ...Object.fromEntries(defaults), cors: { origin: '*' }, port: 0 } },
  protocol: (given) => (protocol = given),
});
const silent = () => undefined;
const { port } = await protocol.start({
  log: { debug: silent, info: silent, warn: console.warn, error: console.error },
  actions: new ActionTable(),
  serviceName: 'millrace',
  createRequest,
  bytes: new ByteBudget(2 ** 30),
  dispatch: () => Promise.reject(new Error('no request is expected here')),
  connectionOpened: ({ id }) => protocol.notifier.join(id, process.env.BENCH_CHANNEL),
  connectionClosed: silent,
});
process.on('message', ({ envelope }) => {
  if (envelope !== undefined) protocol.notifier.publish(process.env.BENCH_CHANNEL, envelope);
});
reportFootprint();
process.send({ port });
