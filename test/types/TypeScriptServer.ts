import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const TSSERVER = fileURLToPath(new URL('../../node_modules/typescript/lib/tsserver.js', import.meta.url));

interface Response {
  readonly request_seq?: number;
  readonly body?: unknown;
}

/** The language server of editors. */
export class TypeScriptServer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #number = 0;
  #text = '';

  constructor() {
    this.#process = spawn(process.execPath, [TSSERVER, '--disableAutomaticTypingAcquisition']);
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
  }

  /** Opens a file. @returns the time until it is checked, in milliseconds */
  async open(file: string): Promise<number> {
    const beganMs = performance.now();
    this.#send('open', { file });
    await this.#ask('semanticDiagnosticsSync', { file });
    return performance.now() - beganMs;
  }

  /** The names that an editor offers. @param offset of the character, from 1 */
  async complete(file: string, line: number, offset: number): Promise<readonly string[]> {
    const { body } = await this.#ask('completionInfo', { file, line, offset });
    const { entries } = body as { readonly entries: readonly { readonly name: string }[] };
    return entries.map(({ name }) => name);
  }

  async close(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#send('exit', {});
    await closed;
  }

  #send(command: string, args: object): number {
    const seq = ++this.#number;
    this.#process.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`);
    return seq;
  }

  #ask(command: string, args: object): Promise<Response> {
    const seq = this.#send(command, args);
    return new Promise((resolve) => this.#waiting.set(seq, resolve));
  }

  /** Messages are lines, each after a header. */
  #receive(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('{')) continue;
      const response = JSON.parse(line) as Response;
      this.#waiting.get(response.request_seq ?? 0)?.(response);
    }
  }
}
