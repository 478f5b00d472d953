import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawWebSocket } from './RawWebSocket.mjs';
import { untilDrained } from './untilDrained.mjs';

const RETRY_MS = 100;
const POLL_MS = 2;

/** What attacks are made of: connections from one address, a deadline, and counters of what was sent and answered. */
export class Attacker {
  /** All attackers share an address, the honest client has another one. */
  static ADDRESS = '127.0.0.3';
  sentCount = 0;
  /** By status; `closed`: the connection ended without an answer; `refused`: no connection. */
  answers = {};
  #endMs;
  #open = new Set();

  constructor({ urls, seconds, prepared }) {
    this.urls = urls;
    this.prepared = prepared;
    this.#endMs = performance.now() + seconds * 1000;
  }

  get isOver() {
    return performance.now() >= this.#endMs;
  }

  get leftMs() {
    return Math.max(0, this.#endMs - performance.now());
  }

  count(answer) {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }

  /** Sleeps, at most until the end of the attack. */
  async pause(ms) {
    await sleep(Math.min(ms, this.leftMs));
  }

  /** Runs `work` with `count` numbers at the same time, each again and again until the end of the attack. */
  async crowd(count, work) {
    const repeat = async (number) => {
      while (!this.isOver) {
        try {
          // Work that still waits for a jammed server at the end is left.
          await this.untilEnd(work(number));
        } catch {
          this.count('refused');
          await this.pause(RETRY_MS);
        }
      }
    };
    await Promise.all(Array.from({ length: count }, (_, number) => repeat(number)));
  }

  /** An open WebSocket whose answers are counted by status. */
  async websocket() {
    const socket = new RawWebSocket();
    socket.onAnswer = (head) => this.count(/"status":(\d+)/.exec(head)?.[1] ?? 'notification');
    await socket.open(this.urls.websocket, Attacker.ADDRESS);
    this.#remember(socket);
    return socket;
  }

  /**
   * Sends up to `count` prepared frames, at most `window` of them unanswered. Ends early with the attack or the connection.
   * @param {(number: number) => Buffer} frameOf
   * @param {{count: number, window: number, everyMs?: number}} options `everyMs`: pause after each frame
   */
  async flood(socket, frameOf, { count, window, everyMs = 0 }) {
    const answeredBefore = socket.answeredCount;
    for (let sent = 0; sent < count;) {
      if (this.isOver || socket.isClosed) return;
      if (sent - (socket.answeredCount - answeredBefore) >= window) {
        await this.pause(POLL_MS);
        continue;
      }
      if (!socket.send(frameOf(sent))) await this.untilEnd(socket.drained());
      sent++;
      this.sentCount++;
      if (everyMs > 0) await this.pause(everyMs);
    }
  }

  /**
   * Sends prepared buffers on a new HTTP connection, with regard to back-pressure.
   * @param {Iterable<Buffer>} buffers
   * @param {{reads?: boolean}} options `reads` false: takes nothing of the answer
   * @returns the socket, and a promise of the status of the answer (`closed` where none came)
   */
  async rawHttp(buffers, { reads = true, url = this.urls.http } = {}) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress: Attacker.ADDRESS });
    this.#remember(socket);
    let answer;
    const answered = new Promise((resolve) => {
      socket.on('error', () => undefined);
      socket.on('close', () => resolve('closed'));
      if (!reads) return;
      socket.on('data', (chunk) => {
        answer ??= /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1', 0, 20))?.[1];
        if (answer !== undefined) resolve(answer);
      });
    });
    if (!reads) socket.pause();
    for (const buffer of buffers) {
      if (answer !== undefined || socket.destroyed || this.isOver) break;
      if (socket.write(buffer)) continue;
      await this.untilEnd(untilDrained(socket));
    }
    return { socket, answered };
  }

  /** A function for ordinary HTTP requests over kept connections: gives the status. */
  httpCaller(connections) {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#remember(agent);
    const { hostname, port } = new URL(this.urls.http);
    return (method, path, { token, body } = {}) =>
      new Promise((resolve) => {
        const payload = body === undefined ? undefined : JSON.stringify(body);
        const headers = {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(payload && { 'content-type': 'application/json' }),
        };
        const localAddress = Attacker.ADDRESS;
        const options = { hostname, port, method, path, agent, headers, localAddress };
        const request = httpRequest(options, (response) => {
          response.resume();
          response.on('error', () => undefined);
          response.on('close', () => resolve(response.statusCode));
        });
        request.on('error', () => resolve('closed'));
        request.end(payload);
      });
  }

  /** Resolves with the result, or with `over` at the end of the attack. */
  async untilEnd(promise) {
    const timer = new AbortController();
    const end = sleep(this.leftMs, 'over', { signal: timer.signal }).catch(() => 'over');
    const result = await Promise.race([promise, end]);
    timer.abort();
    return result;
  }

  close() {
    for (const opened of this.#open) opened.destroy();
  }

  #remember(opened) {
    this.#open.add(opened);
    const forget = () => this.#open.delete(opened);
    if (opened instanceof RawWebSocket) opened.onClose = forget;
    else opened.once?.('close', forget);
  }
}
