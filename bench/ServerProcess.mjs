import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LISTENS = /^Millrace listens on \S+:(\d+) \((\w+)\)$/gm;
const TICKS_PER_SECOND = 100;

/** A server as a separate process on free ports and an empty data folder, observed through /proc. */
export class ServerProcess {
  #child;
  #dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  ports = {};
  /** Lines of the log from level `warn` on; at most 100. */
  log = [];

  /**
   * Starts it, again on the same data after `stop`.
   * @param entry the program, such as packages/server/bin/millrace.js
   * @param execArgv flags of Node.js
   */
  async start(entry, { execArgv = [], logLevel = 'warn' } = {}) {
    const ports = ['http', 'websocket', 'fallback', 'mqtt'].flatMap((name) => [`--${name}.port`, '0']);
    const args = [entry, ...ports, '--server.dataDir', this.#dataDir, '--log.level', logLevel];
    const child = spawn(process.execPath, [...execArgv, ...args], {
      cwd: this.#dataDir,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.ports = {};
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (this.log.length >= 100) return;
      this.log.push(text.trim());
      console.error(text.trim());
    });
    let printed = '';
    await new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`The server did not start: ${this.log.join('\n')}`)));
      child.stdout.setEncoding('utf8').on('data', (text) => {
        printed += text;
        for (const [, port, name] of printed.matchAll(LISTENS)) this.ports[name] = Number(port);
        if (Object.keys(this.ports).length === 4) resolve();
      });
    });
  }

  get process() {
    return this.#child;
  }

  /** @returns resident bytes, open descriptors, processor seconds so far */
  sample() {
    const folder = `/proc/${this.#child.pid}`;
    const pages = Number(readFileSync(`${folder}/statm`, 'utf8').split(' ')[1]);
    const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ')[1].split(' ');
    return {
      rssBytes: pages * 4096,
      descriptors: readdirSync(`${folder}/fd`).length,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  }

  /** Resident bytes, of which those that processes share are divided among them. */
  proportionalBytes() {
    const rollup = readFileSync(`/proc/${this.#child.pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss: +(\d+) kB$/m.exec(rollup)[1]) * 1024;
  }

  /** Ends it at once if it still runs. */
  kill() {
    if (this.#child?.exitCode === null) this.#child.kill('SIGKILL');
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** @returns the exit code: 0 if it stopped in order */
  async stop() {
    const { exitCode } = this.#child;
    if (exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    return this.#child.exitCode;
  }
}
