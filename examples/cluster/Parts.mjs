/*
 * The processes of a cluster on this machine: Redis, Elasticsearch, nodes. Each is ended by its own id.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 10_000;
const MAX_OUTPUT = 40_000;

// Below the ports that the system gives to outgoing connections: one of those may be taken before it is listened on.
const FIRST_PORT = 15_000;
const LAST_PORT = 32_000;

/** A port that is free now. */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** A process that can be started again as it was. */
export class Part {
  #command;
  #args;
  #options;
  #isReady;
  #child;
  #exit = Promise.resolve();
  /** The newest part of what it has printed, over all starts. */
  output = '';

  /** @param isReady tells by a line of output that it is there */
  constructor(command, args, { isReady, ...options }) {
    this.#command = command;
    this.#args = args;
    this.#options = options;
    this.#isReady = isReady;
  }

  get pid() {
    return this.#child?.pid;
  }

  async start() {
    const child = spawn(this.#command, this.#args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...this.#options,
    });
    this.#child = child;
    this.#exit = once(child, 'exit').catch(() => undefined);
    // Nothing is left behind by a run that is interrupted.
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    let output = '';
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${this.#command} is not there: ${output}`)), START_WITHIN_MS);
      const look = (chunk) => {
        output = (output + chunk).slice(-20_000);
        this.output = (this.output + chunk).slice(-MAX_OUTPUT);
        if (!this.#isReady(output)) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${this.#command} ended with ${code}: ${output.slice(-1_000)}`)));
    });
    return this;
  }

  signal(name) {
    this.#child?.kill(name);
  }

  /** Ends it; killed where it doesn't in time. @returns when it has ended */
  async stop(signal = 'SIGTERM') {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    child.kill('SIGCONT');
    child.kill(signal);
    await this.#exit;
    clearTimeout(timer);
  }
}

/** A Redis that keeps nothing on disk, unless a folder is given. */
export async function redisPart(port, { appendOnlyFolder } = {}) {
  const folder = appendOnlyFolder ?? (await mkdtemp(join(tmpdir(), 'millrace-redis-')));
  const keep = appendOnlyFolder === undefined ? 'no' : 'yes';
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', keep];
  const isReady = (output) => output.includes('Ready to accept connections');
  const part = new Part('redis-server', args.map(String), { isReady });
  const remove = async () => {
    if (appendOnlyFolder === undefined) await rm(folder, { recursive: true, force: true });
  };
  return { part, remove };
}

const ELASTICSEARCH_SCRIPTS = '../../../shared/tools/elasticsearch';

/** An Elasticsearch by the scripts `start` and `stop` of a folder, which take `ES_PORT` and `ES_DATA`. */
export class Elasticsearch {
  #folder;
  #environment;
  url;
  /** Of the server, once started. */
  pid;

  constructor(port, { folder = new URL(ELASTICSEARCH_SCRIPTS, import.meta.url).pathname, dataDir } = {}) {
    this.#folder = folder;
    const data = dataDir === undefined ? {} : { ES_DATA: dataDir };
    this.#environment = { ...process.env, ES_PORT: String(port), ES_HEAP: process.env.ES_HEAP ?? '512m', ...data };
    this.url = `http://127.0.0.1:${port}`;
  } // prettier-ignore

  /** @returns its process id */
  async start() {
    if (!existsSync(join(this.#folder, 'start'))) {
      throw new Error('There is no Elasticsearch to start: give the address of one with --elasticsearch http://…');
    }
    const { stdout } = await run(join(this.#folder, 'start'), [], { env: this.#environment });
    this.pid = Number(/pid (\d+)/.exec(stdout)?.[1]);
    return this.pid;
  } // prettier-ignore

  /** Ends it in good order and keeps its data. */
  async end() {
    process.kill(this.pid, 'SIGTERM');
    while (existsSync(`/proc/${this.pid}`)) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  async stop() {
    await run(join(this.#folder, 'stop'), [], { env: this.#environment });
  }
}

const COMMAND = new URL(import.meta.resolve('@millrace/server')).pathname.replace(
  /dist\/index\.js$/,
  'bin/millrace.js',
);

/** A node, configured by flags alone. */
export function nodePart(ports, { redis, elasticsearch, dataDir, more = [] }) {
  const flags = {
    'http.port': ports.http,
    'websocket.port': ports.ws,
    'fallback.port': ports.fallback,
    'mqtt.port': ports.mqtt,
    'server.dataDir': dataDir,
    'storage.engine': 'elasticsearch',
    'storage.elasticsearch.node': elasticsearch,
    'memoryStore.engine': 'redis',
    'memoryStore.redis.url': redis,
    'cluster.enabled': 'true',
    'cluster.redis.url': redis,
    'log.level': 'info',
  };
  const args = Object.entries(flags).flatMap(([key, value]) => [`--${key}`, String(value)]);
  const isReady = (output) => (output.match(/^Millrace listens on /gm) ?? []).length >= 4;
  return new Part(process.execPath, [COMMAND, ...args, ...more], { isReady });
}
