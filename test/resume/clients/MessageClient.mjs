import { Patience } from './Patience.mjs';

const RECONNECT_MS = 30;

/**
 * Keeps a mirror over a connection that carries messages in both directions, as `connect` opens it: `{send, close}`. A
 * silence of two heartbeats is a broken connection.
 */
export class MessageClient {
  #connect;
  #mirror;
  #target;
  #random;
  #link;
  #timer;
  #heardAtMs = 0;
  #patience;
  #isClosed = false;
  /** Number of notifications of this connection. */
  #received = 0;
  #searches = 0;

  /**
   * @param connect `({onOpen, onMessage, onClose}) => {send(message), close()}`
   * @param {{index: string, collection: string}} target
   */
  constructor({ connect, mirror, target, random, silenceMs }) {
    Object.assign(this, { mirror });
    this.#connect = connect;
    this.#mirror = mirror;
    this.#target = target;
    this.#random = random;
    this.#patience = new Patience(silenceMs);
  }

  open() {
    if (this.#isClosed) return;
    const link = {};
    this.#link = link;
    const isCurrent = () => this.#link === link;
    this.#heardAtMs = performance.now();
    this.#received = 0;
    const end = () => {
      if (!isCurrent()) return;
      this.#link = undefined;
      clearInterval(this.#timer);
      link.close?.();
      this.#mirror.cut();
      setTimeout(() => this.open(), RECONNECT_MS * (1 + this.#random())).unref();
    };
    this.#timer = setInterval(() => {
      if (performance.now() - this.#heardAtMs <= this.#patience.limitMs) return;
      this.#patience.grow();
      end();
    }, this.#patience.limitMs / 4);
    const onOpen = () => {
      if (!isCurrent()) return;
      this.#send({ requestId: 'hello', controller: 'client', action: 'hello', body: { v: 1 } });
      this.#subscribe(true);
    };
    const onMessage = (message) => {
      if (!isCurrent()) return;
      this.#heardAtMs = performance.now();
      this.#receive(message, end);
    };
    Object.assign(link, this.#connect({ onOpen, onMessage, onClose: end }));
  }

  close() {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const link = this.#link;
    this.#link = undefined;
    link?.close();
    this.#mirror.cut();
  }

  reopen() {
    this.#isClosed = false;
    this.open();
  }

  #receive(message, end) {
    const { requestId, controller, action, error, result, type } = message;
    const mirror = this.#mirror;
    if (message.roomId !== undefined) this.#received++;
    if (type === 'heartbeat') {
      if (message.sent === this.#received) mirror.heartbeat(message.cursor);
      else {
        mirror.missed();
        end();
      }
    } else if (requestId === 'subscribe') {
      if (error?.status < 500) mirror.problems.push(`${mirror.name}: ${error.message}`);
      if (error) end();
      else if (!mirror.answered(result)) this.#search();
      else this.#patience.reset();
    } else if (requestId?.startsWith('search')) {
      if (error) end();
      // After another gap, the earlier result doesn't count.
      else if (requestId === `search${this.#searches}`) {
        mirror.loaded(result.hits);
        this.#patience.reset();
      }
    } else if (controller === 'document') mirror.change(message);
    else if (controller === 'realtime' && action === 'resumed') mirror.resumed(result);
    else if (controller === 'realtime' && action === 'gap') this.#gap(result);
  }

  /** A gap of a live subscription: resumes on the same connection (RESUME-14), or reads the documents. */
  #gap({ reason, cursor }) {
    const mirror = this.#mirror;
    if (!mirror.isAnswered) return;
    if (mirror.isLive && this.#random() < 0.5) {
      mirror.counts.gaps[`${reason}, resumed`] = (mirror.counts.gaps[`${reason}, resumed`] ?? 0) + 1;
      return this.#subscribe(false);
    }
    mirror.reload(cursor, reason);
    this.#search();
  }

  #subscribe(isNew) {
    const { filter, mode } = this.#mirror;
    const cursor = this.#mirror.ask(isNew);
    const fields = { requestId: 'subscribe', controller: 'realtime', action: 'subscribe' };
    this.#send({ ...fields, ...this.#target, body: filter, mode, cursor });
  }

  #search() {
    const body = { query: this.#mirror.query, size: 10_000, version: true };
    const requestId = `search${++this.#searches}`;
    const fields = { requestId, controller: 'document', action: 'search' };
    this.#send({ ...fields, ...this.#target, body });
  }

  #send(message) {
    this.#link?.send(message);
  }
}
