import mqtt from 'mqtt';

const SERVICE = 'millrace';
const RECONNECT_MS = 30;

/**
 * Keeps a mirror by a persistent session over MQTT: after the first subscription it only connects again, and the server
 * sends what it has missed or not acknowledged. Every second client sends its subscription with each connection
 * nevertheless, as programs without sessions do.
 */
export class SessionClient {
  #url;
  #clientId;
  #jwt;
  #target;
  #random;
  #subscribesAlways;
  #socket;
  #isClosed = false;
  #channel;
  #searches = 0;

  /** @param jwt token of a user */
  constructor({ port, mirror, target, random, number, jwt }) {
    Object.assign(this, { mirror });
    this.#url = `mqtt://127.0.0.1:${port}`;
    this.#clientId = `device-${number}`;
    this.#jwt = jwt;
    this.#target = target;
    this.#random = random;
    this.#subscribesAlways = number % 2 === 1;
  }

  open() {
    if (this.#isClosed) return;
    const socket = mqtt.connect(this.#url, {
      clientId: this.#clientId,
      clean: false,
      username: 'jwt',
      password: this.#jwt,
      keepalive: 1,
      connectTimeout: 5_000,
      reconnectPeriod: 0,
      protocolVersion: 4,
    });
    this.#socket = socket;
    const isCurrent = () => this.#socket === socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!isCurrent()) return;
      this.#socket = undefined;
      socket.end(true);
      this.mirror.cut();
      setTimeout(() => this.open(), RECONNECT_MS * (1 + this.#random())).unref();
    });
    socket.on('connect', ({ sessionPresent }) => {
      if (isCurrent()) this.#connected(sessionPresent);
    });
    // PUBACK follows `done`.
    socket.handleMessage = ({ topic, payload }, done) => {
      if (!isCurrent()) return;
      this.#receive(topic, JSON.parse(payload));
      done();
    };
  }

  close() {
    this.#isClosed = true;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.end(true);
    this.mirror.cut();
  }

  #connected(isPresent) {
    const { mirror } = this;
    const isKnown = mirror.cursor !== undefined;
    if (isKnown && !isPresent) mirror.problems.push(`${mirror.name}: the session is lost`);
    // What comes before an answer counts: it is acknowledged.
    if (isKnown && isPresent) mirror.answered({ resumed: true });
    else mirror.ask(true);
    if (isKnown && isPresent && !this.#subscribesAlways) return;
    this.#socket.subscribe(`mqtt.${this.#clientId}`, { qos: 1 });
    const { filter: body } = mirror;
    this.#send({ requestId: 'subscribe', controller: 'realtime', action: 'subscribe', body });
  }

  #receive(topic, message) {
    const { requestId, controller, action, error, result } = message;
    const { mirror } = this;
    if (topic === `mqtt.${this.#clientId}`) {
      if (error?.status < 500) mirror.problems.push(`${mirror.name}: ${error.message}`);
      if (error) this.#socket.stream.destroy();
      else if (requestId === 'subscribe') this.#subscribed(result);
      else if (requestId === `search${this.#searches}`) mirror.loaded(result.hits);
    } else if (!mirror.isAnswered) {
      // Of a session whose documents were never read.
    } else if (topic !== this.#channel) {
      mirror.problems.push(`${mirror.name}: a message on ${topic}`);
    } else if (controller === 'document') mirror.change(message);
    else if (action === 'resumed') mirror.resumed(result);
    else if (action === 'gap') {
      mirror.reload(result.cursor, result.reason);
      this.#search();
    } else mirror.problems.push(`${mirror.name}: ${action} ${JSON.stringify(result)}`);
  }

  #subscribed({ channel, cursor, resumed, gap }) {
    const { mirror } = this;
    this.#channel = channel;
    // The session may know a position, although the documents were never read.
    const isResumed = resumed && mirror.cursor !== undefined;
    if (!mirror.answered({ resumed: isResumed, cursor, gap })) this.#search();
    this.#socket.subscribe(channel, { qos: 1 });
  }

  #search() {
    const body = { query: this.mirror.query, size: 10_000, version: true };
    const requestId = `search${++this.#searches}`;
    this.#send({ requestId, controller: 'document', action: 'search', body });
  }

  #send(message) {
    this.#socket.publish(SERVICE, JSON.stringify({ ...this.#target, ...message }));
  }
}
