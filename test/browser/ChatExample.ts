import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../examples/chat/', import.meta.url));

/** The chat of examples/chat as a separate process, on one port and one data folder over its restarts. */
export class ChatExample {
  #process: ChildProcess | undefined;
  #url = '';

  private constructor(private readonly dataDir: string) {}

  /** Builds the page as `npm start` does, and starts the server. */
  static async start(): Promise<ChatExample> {
    await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: FOLDER });
    const example = new ChatExample(await mkdtemp(join(tmpdir(), 'millrace-chat-')));
    await example.startAgain();
    return example;
  }

  get url(): string {
    return this.#url;
  }

  async startAgain(): Promise<void> {
    const { port } = new URL(this.#url === '' ? 'http://127.0.0.1:0' : this.#url);
    const env = {
      ...process.env,
      PORT: port,
      DATA_DIR: this.dataDir,
      ADMIN_PASSWORD: 'a long one',
    };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, ['server/start.mjs'], { cwd: FOLDER, env, stdio });
    this.#process = child;
    let output = '';
    this.#url = await new Promise<string>((resolve, reject) => {
      const read = (text: string) => {
        output += text;
        const [, url] = /The chat is at (http:\S+)/.exec(output) ?? [];
        if (url !== undefined) resolve(url);
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.once('exit', (code) => reject(new Error(`the chat has ended with ${code}: ${output}`)));
    });
  }

  /** Ends the process at once, as `kill -9` does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    const code = await this.#end('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true });
    return code;
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (this.#process === undefined) return null;
    const ended = once(this.#process, 'exit') as Promise<[number | null]>;
    this.#process.kill(signal);
    return (await ended)[0];
  }
}
