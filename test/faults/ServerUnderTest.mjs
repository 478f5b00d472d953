import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));
const PROTOCOLS = ['http', 'websocket', 'fallback', 'mqtt'];
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;
const ADMIN = { username: 'root', password: 'correct-horse-battery-41' };

/**
 * A server process on free ports and a temporary data folder, with all shipped protocols, default configuration and a
 * heap limit of 1 GiB. It is locked: the first administrator exists.
 */
export class ServerUnderTest {
  /** By protocol. */
  urls = {};
  adminToken = '';
  #folder = mkdtempSync(join(tmpdir(), 'millrace-attack-'));
  #logPath = join(this.#folder, 'server.log');
  #settings;
  #openFiles;
  #child;

  /**
   * @param {{settings?: Record<string, unknown>, openFiles?: number}} options configuration as `MILLRACE_*` variables; how
   *   many descriptors the process may have
   */
  constructor({ settings = {}, openFiles } = {}) {
    this.#settings = settings;
    this.#openFiles = openFiles;
  }

  get pid() {
    return this.#child?.pid ?? 0;
  }

  get isAlive() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  get exit() {
    return this.#child?.signalCode ?? this.#child?.exitCode ?? null;
  }

  /** Starts the process and creates the first administrator. */
  async open() {
    await this.start();
    const { username, password } = ADMIN;
    await this.call('POST', '/_createFirstAdmin', { _id: username, password }, null);
    this.adminToken = await this.login(ADMIN);
  }

  async start() {
    const from = this.logBytes();
    const log = openSync(this.#logPath, 'a');
    const node = [process.execPath, '--max-old-space-size=1024', BIN];
    // `exec` keeps the process id; Node raises its soft limit to the hard one, so both are set.
    const command =
      this.#openFiles === undefined ? node : ['/bin/sh', '-c', `ulimit -n ${this.#openFiles}; exec "$0" "$@"`, ...node];
    this.#child = spawn(command[0], command.slice(1), {
      cwd: this.#folder,
      env: { ...withoutMillrace(process.env), ...this.#environment() },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const deadline = Date.now() + START_LIMIT_MS;
    while (true) {
      const output = readFileSync(this.#logPath).subarray(from).toString();
      for (const protocol of PROTOCOLS) {
        this.urls[protocol] = new RegExp(`listens on (\\S+) \\(${protocol}\\)`).exec(output)?.[1];
      }
      if (PROTOCOLS.every((protocol) => this.urls[protocol] !== undefined)) return;
      if (!this.isAlive || Date.now() > deadline) {
        throw new Error(`the server did not start: ${output.slice(-2_000)}`);
      }
      await sleep(50);
    }
  }

  /** Ends the process by its id; what was stored stays. */
  async stop() {
    const child = this.#child;
    if (child === undefined || !this.isAlive) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  async kill() {
    if (!this.isAlive) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Ends the process and removes all that it stored. */
  async close() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Resident memory now and at most since `resetPeak`, in bytes; undefined once the process has ended. */
  memory() {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'latin1');
      const [rssBytes, peakBytes] = ['VmRSS', 'VmHWM'].map(
        (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024,
      );
      return Number.isNaN(rssBytes) ? undefined : { rssBytes, peakBytes };
    } catch {
      return undefined;
    }
  }

  /** Starts `VmHWM` again at the present size (proc(5), clear_refs). */
  resetPeak() {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  logBytes() {
    return statSync(this.#logPath, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The end of the log, for a process that has ended. */
  logTail(length = 300) {
    return readFileSync(this.#logPath).subarray(-length).toString();
  }

  /** One request that must succeed; gives its result. Sent by the administrator unless `token` is another one or null. */
  async call(method, path, body, token = this.adminToken) {
    const response = await fetch(`${this.urls.http}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, error, result } = await response.json();
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${error?.message}`);
    return result;
  }

  async login({ username, password }) {
    return (await this.call('POST', '/_login', { username, password }, null)).jwt;
  }

  /** Creates a user with a separate profile and role, logged in: `{username, password, token}`. */
  async account(username, role) {
    const password = `${username}-correct-horse-41`;
    await this.call('PUT', `/roles/${username}`, role);
    await this.call('PUT', `/profiles/${username}`, { policies: [{ roleId: username }] });
    await this.call('POST', `/users/${username}/_create`, { profileIds: [username], password });
    return { username, password, token: await this.login({ username, password }) };
  }

  #environment() {
    const own = {
      MILLRACE_HTTP_PORT: '0',
      MILLRACE_WEBSOCKET_PORT: '0',
      MILLRACE_FALLBACK_PORT: '0',
      MILLRACE_MQTT_PORT: '0',
      MILLRACE_SERVER_DATA_DIR: join(this.#folder, 'data'),
    };
    for (const [name, value] of Object.entries(this.#settings)) {
      own[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
    return own;
  }
}

function withoutMillrace(environment) {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith('MILLRACE_') && name !== 'NODE_OPTIONS' && name !== 'NODE_ENV',
  );
  return Object.fromEntries(kept);
}
