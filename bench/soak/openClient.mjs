import { once } from 'node:events';
import mqtt from 'mqtt';
import { io } from 'socket.io-client';
import WebSocket from 'ws';

const ANSWER_WITHIN_MS = 15_000;
let requestCount = 0;

/**
 * Opens a connection of a protocol.
 * @returns `request(message)`, the response; `subscribe(message, onNotification)`; `close()`
 */
export function openClient(protocol, ports) {
  return OPENERS[protocol](ports);
}

export const PROTOCOLS = ['http', 'websocket', 'fallback', 'mqtt'];

const OPENERS = {
  http: openHttp,
  websocket: openWebsocket,
  fallback: openFallback,
  mqtt: openMqtt,
};

/** Requests by message (PROTO-34), subscriptions as server-sent events. */
async function openHttp({ http }) {
  const streams = new AbortController();
  const base = `http://127.0.0.1:${http}`;
  return {
    async request({ controller, action, jwt, ...message }) {
      const response = await fetch(`${base}/_message/${controller}/${action}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(jwt === undefined ? undefined : { authorization: `Bearer ${jwt}` }),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      return response.json();
    },
    async subscribe({ index, collection, jwt, body }, onNotification) {
      const query = new URLSearchParams({ filter: JSON.stringify(body) });
      const url = `${base}/${index}/${collection}/_subscribe?${query}`;
      let lastId;
      const open = async () => {
        const response = await fetch(url, {
          headers: {
            accept: 'text/event-stream',
            authorization: `Bearer ${jwt}`,
            ...(lastId === undefined ? undefined : { 'last-event-id': lastId }),
          },
          signal: streams.signal,
        });
        if (response.status !== 200) throw new Error(`SSE: ${await response.text()}`);
        return response;
      };
      const take = (id, message) => {
        lastId = id ?? lastId;
        if (message !== undefined) onNotification(message);
      };
      // The server ends each stream after `sse.maxStreamMs`: the client resumes, as EventSource does.
      const follow = async (first) => {
        for (let response = first; ; response = await open()) await readEvents(response.body, take);
      };
      follow(await open()).catch((error) => {
        if (!streams.signal.aborted) onNotification({ action: 'broken', error: String(error) });
      });
    },
    close: async () => streams.abort(),
  };
}

/** Events that are no notifications. */
const TECHNICAL = new Set(['subscribed', 'resumed', 'heartbeat']);

/** @param take receives the id of each event, and its message if it is a notification */
async function readEvents(body, take) {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) {
      const field = (name) =>
        event
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const data = field('data');
      if (data === undefined) continue;
      take(field('id'), TECHNICAL.has(field('event')) ? undefined : JSON.parse(data));
    }
  }
}

async function openWebsocket({ websocket }) {
  const socket = new WebSocket(`ws://127.0.0.1:${websocket}`);
  const answers = new Answers((message) => socket.send(JSON.stringify(message)));
  const listeners = new Map();
  await once(socket, 'open');
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (!answers.take(message.room, message)) listeners.get(message.room)?.(message);
  });
  return lasting(answers, listeners, {
    onLost: (report) => socket.once('close', report),
    close: () => socket.close(),
    hasClosed: once(socket, 'close'),
  });
}

async function openFallback({ fallback }) {
  const socket = io(`http://127.0.0.1:${fallback}`, { reconnection: false, forceNew: true });
  const answers = new Answers((message) => socket.emit('millrace', message));
  const listeners = new Map();
  await new Promise((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject));
  socket.onAny((event, message) => {
    if (!answers.take(event, message)) listeners.get(event)?.(message);
  });
  return lasting(answers, listeners, {
    onLost: (report) => socket.once('disconnect', report),
    close: () => socket.disconnect(),
    hasClosed: new Promise((resolve) => socket.once('disconnect', resolve)),
  });
}

async function openMqtt({ mqtt: port }) {
  const socket = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 });
  const answerTopic = `mqtt.${socket.options.clientId}`;
  const answers = new Answers((message) => socket.publish('millrace', JSON.stringify(message)));
  const listeners = new Map();
  // The library acknowledges notifications that arrive while it closes: "write after end".
  socket.on('error', () => undefined);
  await socket.subscribeAsync(answerTopic, { qos: 1 });
  socket.on('message', (topic, payload) => {
    const message = JSON.parse(String(payload));
    if (topic === answerTopic) answers.take(message.requestId, message);
    else listeners.get(topic)?.(message);
  });
  return lasting(answers, listeners, {
    onLost: (report) => socket.once('close', report),
    onChannel: (channel) => socket.subscribeAsync(channel, { qos: 1 }),
    close: () => socket.end(),
    hasClosed: new Promise((resolve) => socket.once('close', resolve)),
  });
}

/** The client of a connection that lasts. */
function lasting(answers, listeners, { onLost, onChannel, close, hasClosed }) {
  let isClosing = false;
  return {
    request: (message) => answers.ask(message),
    async subscribe(message, onNotification) {
      const { error, result } = await answers.ask({
        ...message,
        controller: 'realtime',
        action: 'subscribe',
      });
      if (error) throw new Error(error.message);
      listeners.set(result.channel, onNotification);
      await onChannel?.(result.channel);
      onLost(() => isClosing || onNotification({ action: 'broken', error: 'connection lost' }));
    },
    async close() {
      isClosing = true;
      close();
      await hasClosed;
    },
  };
}

/** Requests that wait for their responses. */
class Answers {
  #waiting = new Map();
  #send;

  constructor(send) {
    this.#send = send;
  }

  ask(message) {
    const requestId = `soak-${++requestCount}`;
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(requestId);
        reject(new Error(`no answer to ${message.controller}.${message.action}`));
      };
      const timer = setTimeout(late, ANSWER_WITHIN_MS);
      this.#waiting.set(requestId, { resolve, timer });
      this.#send({ ...message, requestId });
    });
  }

  take(requestId, message) {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return false;
    this.#waiting.delete(requestId);
    clearTimeout(waiting.timer);
    waiting.resolve(message);
    return true;
  }
}
