// A program with the client, as an application runs it. Prints what happens to a subscription, until its input ends.
// usage: node printEvents.mjs URL WEBSOCKET_URL global|ws
import { createClient } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';
import { WebSocket as PassedWebSocket } from 'ws';

const [url, socketUrl, name] = process.argv.slice(2);
const passed = name === 'ws' ? { WebSocket: PassedWebSocket } : {};
const client = createClient(url).with(realtime({ url: socketUrl, ...passed }));
const subscription = client.collection('city', 'stations').subscribe();
subscription.on('event', ({ kind, id }) => console.log(kind, id));
subscription.on('status', (status) => console.log(status, subscription.error?.message ?? ''));
process.stdin.once('end', () => client.connection.close()).resume();
