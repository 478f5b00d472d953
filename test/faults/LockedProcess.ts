import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '@millrace/kernel';
import { runMillrace, type MillraceProcess } from '../process/runMillrace.js';
import { callHttp, type Reply } from '../security/securedServer.js';

const HEAP_MIB = 1024;
const PASSWORD = 'correct-horse-battery-41';

/** A server process with a first administrator and a heap limit of 1 GiB. */
export class LockedProcess {
  private constructor(
    private readonly server: MillraceProcess,
    private readonly folder: string,
    readonly url: string,
    readonly adminJwt: string,
  ) {}

  static async open(): Promise<LockedProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-faults-'));
    const server = runMillrace(folder, ['--http.port', '0'], {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    });
    const url = await server.listening;
    const body = { _id: 'root', password: PASSWORD };
    const created = await callHttp(url, 'POST', '/_createFirstAdmin', { body });
    if (created.status !== 200) throw new Error(created.text);
    const credentials = { username: 'root', password: PASSWORD };
    const { result } = await callHttp(url, 'POST', '/_login', { body: credentials });
    return new LockedProcess(server, folder, url, result.jwt as string);
  }

  /** Resolves with the address of a protocol other than HTTP. */
  async urlOf(protocol: string): Promise<string> {
    const line = new RegExp(`listens on (\\S+) \\(${protocol}\\)`);
    for (let tries = 0; tries < 100; tries++) {
      const found = line.exec(this.server.output())?.[1];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no address of ${protocol}: ${this.server.output()}`);
  }

  /** A request of the administrator. */
  call(method: string, path: string, body?: JsonValue): Promise<Reply> {
    const options = { jwt: this.adminJwt, ...(body === undefined ? undefined : { body }) };
    return callHttp(this.url, method, path, options);
  }

  /** Resident memory in bytes: now, and at most since the start. */
  async memory(): Promise<{ readonly rssBytes: number; readonly peakBytes: number }> {
    const status = await readFile(`/proc/${this.server.pid}/status`, 'latin1');
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
    return { rssBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
  }

  /** Asks for the time again and again until `work` ends; resolves with the number of answers. */
  async answersDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false;
    const end = () => (isOver = true);
    work.then(end, end);
    let count = 0;
    for (; !isOver; count++) await callHttp(this.url, 'GET', '/_now', {});
    return count;
  }

  async close(): Promise<void> {
    this.server.signal('SIGKILL');
    await this.server.ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
