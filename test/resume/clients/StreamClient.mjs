import { EventParser } from './EventParser.mjs';
import { Patience } from './Patience.mjs';

const RECONNECT_MS = 30;

/**
 * Keeps a mirror by server-sent events, as EventSource does: it connects again with the id of the last event. Every
 * second client sends its filter as a body.
 */
export class StreamClient {
  #url;
  #target;
  #random;
  #patience;
  #isPost;
  #stream;
  #isClosed = false;
  /** Of the last event that had one. */
  #lastId;
  /** Number of notifications of this stream. */
  #received = 0;
  #searches = 0;

  constructor({ port, mirror, target, random, silenceMs, number }) {
    Object.assign(this, { mirror });
    this.#url = `http://127.0.0.1:${port}/${target.index}/${target.collection}`;
    this.#target = target;
    this.#random = random;
    this.#patience = new Patience(silenceMs);
    this.#isPost = number % 2 === 1;
  }

  open() {
    if (this.#isClosed) return;
    const stream = new AbortController();
    this.#stream = stream;
    void this.#read(stream)
      .catch(() => undefined)
      .then(() => this.#ended(stream));
  }

  close() {
    this.#isClosed = true;
    this.#stream?.abort();
    this.#stream = undefined;
    this.mirror.cut();
  }

  reopen() {
    this.#isClosed = false;
    this.open();
  }

  #ended(stream) {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    stream.abort();
    this.mirror.cut();
    setTimeout(() => this.open(), RECONNECT_MS * (1 + this.#random())).unref();
  }

  /** @throws if the stream breaks */
  async #read(stream) {
    const { mirror } = this;
    let timer;
    const stillAlive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.#patience.grow();
        stream.abort();
      }, this.#patience.limitMs);
    };
    try {
      stillAlive();
      // Without the documents there is nothing to resume.
      const lastId = mirror.ask(true) === undefined ? undefined : this.#lastId;
      const response = await this.#subscribe(lastId, stream.signal);
      if (!response.ok) {
        const { error } = await response.json();
        if (error.status < 500) mirror.problems.push(`${mirror.name}: ${error.message}`);
        return;
      }
      this.#received = 0;
      const parser = new EventParser((event) => this.#receive(event, stream));
      for await (const bytes of response.body) {
        if (this.#stream !== stream) return;
        stillAlive();
        parser.add(bytes);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #subscribe(lastId, signal) {
    const { filter, mode } = this.mirror;
    const headers = {
      accept: 'text/event-stream',
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    const url = `${this.#url}/_subscribe?mode=${mode}`;
    const body = JSON.stringify(filter);
    if (!this.#isPost) {
      return fetch(`${url}&filter=${encodeURIComponent(body)}`, { headers, signal });
    }
    headers['content-type'] = 'application/json';
    return fetch(url, { method: 'POST', headers, body, signal });
  }

  #receive({ name, id, data }, stream) {
    if (stream.signal.aborted) return;
    const { mirror } = this;
    const message = JSON.parse(data);
    if (message.roomId !== undefined) this.#received++;
    if (name === 'heartbeat' && message.sent !== this.#received) {
      mirror.missed();
      return stream.abort();
    }
    if (id !== undefined) this.#lastId = id;
    if (name === 'heartbeat') mirror.heartbeat(message.cursor);
    else if (name === 'subscribed') {
      if (!mirror.answered(message.result)) void this.#search(stream);
      else this.#patience.reset();
    } else if (name === 'resumed') mirror.resumed(message.result);
    // The gap of the answer comes again as an event, for pages (SSE-6).
    else if (name === 'gap' && message.roomId !== undefined) {
      mirror.reload(message.result.cursor, message.result.reason);
      void this.#search(stream);
    } else if (message.controller === 'document') mirror.change(message);
  }

  async #search(stream) {
    const number = ++this.#searches;
    try {
      const response = await fetch(`${this.#url}/_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: this.mirror.query, size: 10_000, version: true }),
        signal: stream.signal,
      });
      const { status, error, result } = await response.json();
      if (status !== 200) throw new Error(error.message);
      // After another gap, the earlier result doesn't count.
      const isCurrent = this.#stream === stream && this.#searches === number;
      if (!isCurrent) return;
      this.mirror.loaded(result.hits);
      this.#patience.reset();
    } catch {
      stream.abort();
    }
  }
}
