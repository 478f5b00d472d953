import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type JsonObject, type ResponseMessage } from '@millrace/kernel';
import { installedPlugins, Kernel } from '@millrace/server';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import { EventReader } from '../wire/clients/EventReader.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';

const PASSWORD = 'a long password';
const BOOKS = { index: 'library', collection: 'books' } as const;
const CURSOR = /k3f9a2xq\.[0-9a-z]{11}|k3f9\.9c4f2/g;
/** Members whose values an example shows as they are; of all others it shows the type. */
const EXACT: ReadonlySet<string> = new Set([
  'controller',
  'action',
  'scope',
  'type',
  'resumed',
  'replayed',
  'replaced',
  'error',
]);

/**
 * Tries the examples of a reference page on a server. Commands are run, requests are sent over WebSocket; cursors in
 * them become real ones. JSON that is no request must have the form of something that the server has sent meanwhile.
 */
export class PageExamples {
  readonly done = { commands: 0, requests: 0, shapes: 0 };
  readonly problems: string[] = [];
  /** What the server has sent, and the parts of it that pages show by themselves. */
  private readonly seen: unknown[] = [];
  private writeCount = 0;

  private constructor(
    private readonly kernel: Kernel,
    private readonly folder: string,
    private readonly urls: ReadonlyMap<string, string>,
    private readonly client: MessageClient,
    private readonly jwt: string,
  ) {}

  static async open(): Promise<PageExamples> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-page-'));
    const ports = {
      http: { port: 0 },
      websocket: { port: 0, heartbeatMs: 200 },
      fallback: { port: 0 },
      mqtt: { port: 0 },
    };
    const config = { ...ports, server: { dataDir: folder }, sse: { heartbeatMs: 200 } };
    const kernel = new Kernel({ config, plugins: await installedPlugins(), logger: silentLogger });
    const addresses = await kernel.start();
    const urls = new Map(addresses.map(({ protocol, url }) => [protocol, url]));
    const client = await connectWebsocket(urls.get('websocket') ?? '');
    const credentials = { username: 'ada', password: PASSWORD };
    await client.request({
      controller: 'security',
      action: 'createFirstAdmin',
      _id: 'ada',
      body: { password: PASSWORD },
    });
    const { result } = await client.request({
      controller: 'auth',
      action: 'login',
      strategy: 'local',
      body: credentials,
    });
    const { jwt } = result as { readonly jwt: string };
    // The commands of the pages have no token.
    const everything = { '*': { actions: { '*': true } } };
    await client.request({
      controller: 'security',
      action: 'createOrReplaceRole',
      jwt,
      _id: 'anonymous',
      body: { controllers: everything },
    });
    await client.request({ controller: 'client', action: 'hello', body: { v: 1 } });
    const examples = new PageExamples(kernel, folder, urls, client, jwt);
    await examples.write('floss');
    return examples;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.kernel.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async run(page: string): Promise<void> {
    const file = new URL(`../../docs/reference/${page}.md`, import.meta.url);
    const shown: unknown[] = [];
    for (const [, , language = '', indented = ''] of (await readFile(file, 'utf8')).matchAll(FENCE)) {
      const text = indented.replaceAll(/^ {2}/gm, '');
      if (language === 'sh') await this.runCommands(text);
      else if (language === 'json') shown.push(...(await this.send(text)));
      else if (language === 'text' && text.startsWith('retry:')) await this.compareStream(text);
      else if (language === 'js' && text.includes('new WebSocket')) await this.runProgram(text);
    }
    await this.collect(shown.some(isHeartbeat));
    for (const each of shown) this.compare(each);
  } // prettier-ignore

  /** @returns the standard output */
  private async runCommand(command: string): Promise<string> {
    // A stream doesn't end by itself.
    const own = command.replace('curl -N', 'curl -N --max-time 1');
    const child = spawn('bash', ['-c', own], { cwd: this.folder });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    this.done.commands++;
    const isEnded = code === 0 || (command.includes('curl -N') && code === 28);
    if (!isEnded || output.includes('"error":{')) this.problems.push(`${command}: ${output}`);
    for (const line of output.split('\n')) if (line.startsWith('{')) this.saw(JSON.parse(line));
    return output;
  }

  private async runCommands(text: string): Promise<void> {
    const own = (await this.withCursor(text)).replaceAll('http://127.0.0.1:7511', this.urls.get('http') ?? '');
    for (const command of own.replaceAll('\\\n', ' ').split(/\n(?=curl )/)) {
      await this.runCommand(command);
      if (!command.includes('Idempotency-Key')) continue;
      const repeat = await this.runCommand(command);
      if (!repeat.includes('Idempotent-Replayed: true')) this.problems.push(`no repeat: ${repeat}`);
    }
  }

  /** Sends the requests of a block. @returns what isn't a request */
  private async send(text: string): Promise<readonly unknown[]> {
    const others: unknown[] = [];
    for (const each of readValues(text)) {
      const { controller, status, result } = each as Record<string, unknown>;
      if (controller === undefined || status !== undefined || result !== undefined) {
        if (!UNSEEN.has(textOf(each))) others.push(each);
        continue;
      }
      const asked = JSON.parse(await this.withCursor(JSON.stringify(each))) as JsonObject;
      const answer = await this.client.request({ jwt: this.jwt, ...asked });
      this.done.requests++;
      if (answer.error !== null) this.problems.push(`${JSON.stringify(asked)}: ${JSON.stringify(answer.error)}`);
      await this.write();
    }
    return others;
  }

  /** The stream that a page shows, compared with a real one event by event. */
  private async compareStream(text: string): Promise<void> {
    const filter = encodeURIComponent('{"equals": {"lent": true}}');
    const url = `${this.urls.get('http')}/library/books/_subscribe?filter=${filter}`;
    const reader = await EventReader.open(url);
    await reader.until('subscribed');
    await this.write();
    await reader.until('message');
    while (!(await reader.until('heartbeat', 1)).some(({ cursor }) => cursor !== undefined)) {
      await reader.until('heartbeat', reader.data('heartbeat').length + 1);
    }
    reader.close();
    if (!text.startsWith(`retry: ${reader.retryMs}\n`)) this.problems.push(`retry: ${reader.retryMs}`);
    for (const block of text.trim().split('\n\n').slice(1)) {
      const [, event = 'message'] = /^event: (\w+)$/m.exec(block) ?? [];
      const [, data = ''] = /^data: (.*)$/m.exec(block) ?? [];
      const members = [...data.matchAll(/"(\w+)":/g)].map(([member]) => member);
      const real = reader.events.filter((each) => each.event === event && (each.id !== '') === block.includes('id: '));
      const isReal = real.some((each) => members.every((member) => each.data.includes(member)));
      if (!isReal || members.length === 0) this.problems.push(`no such event: ${block}`);
      this.done.shapes++;
    }
  }

  private async runProgram(text: string): Promise<void> {
    const own = text.replaceAll('127.0.0.1:7511', new URL(this.urls.get('http') ?? '').host);
    const sockets: WebSocket[] = [];
    const Socket = class extends WebSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    };
    const { status } = await new Promise<ResponseMessage>((resolve) => {
      // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the program of the page
      new Function('WebSocket', 'console', own)(Socket, { log: resolve });
    });
    for (const socket of sockets) socket.close();
    this.done.requests++;
    if (status !== 200) this.problems.push(`${text}: ${status}`);
  }

  private compare(example: unknown): void {
    this.done.shapes++;
    if (this.seen.some((each) => hasForm(each, example))) return;
    this.problems.push(`the server has sent nothing of the form ${JSON.stringify(example)}`);
  }

  /** @param withHeartbeat waits for one with a cursor */
  private async collect(withHeartbeat: boolean): Promise<void> {
    const received = () => this.client.everything.map((text) => JSON.parse(text) as object);
    if (withHeartbeat) await expect.poll(() => received().some(isHeartbeat)).toBe(true);
    for (const message of received()) this.saw(message);
  }

  private saw(message: unknown): void {
    const { result } = message as ResponseMessage;
    const { changes } = (result ?? {}) as { readonly changes?: readonly unknown[] };
    this.seen.push(message, result, ...(changes ?? []));
  }

  private async withCursor(text: string): Promise<string> {
    if (text.search(CURSOR) === -1) return text;
    const answer = await this.client.request({ jwt: this.jwt, ...BOOKS, controller: 'realtime', action: 'changes' });
    const { cursor } = answer.result as { readonly cursor: string };
    await this.write();
    return text.replaceAll(CURSOR, cursor);
  }

  /** Something for the examples to receive: a lent book that they have missed, or receive now. */
  private async write(_id = `book-${++this.writeCount}`): Promise<void> {
    const body = { title: 'The Mill on the Floss', year: 1860, lent: true };
    const station = { index: 'city', collection: 'stations', _id: `s-${this.writeCount}`, body: { bikes: 1 } };
    const asked = { jwt: this.jwt, controller: 'document', action: 'createOrReplace' };
    for (const each of [{ ...BOOKS, _id, body }, station]) await this.client.request({ ...asked, ...each });
  }
}

const FENCE = /^( *)```(\w+)\n([\s\S]*?)^ *```$/gm;

/** The gap of a lost node, which needs a cluster: `test/cluster` shows it. */
const UNSEEN: ReadonlySet<string> = new Set(['realtime gap']);

function isHeartbeat(message: unknown): boolean {
  const { type, cursor } = message as Record<string, unknown>;
  return type === 'heartbeat' && cursor !== undefined;
}

function textOf(message: unknown): string {
  const { controller, action } = message as Record<string, unknown>;
  return `${String(controller)} ${String(action)}`;
}

/** JSON values one after another. */
function readValues(text: string): readonly unknown[] {
  return text
    .trim()
    .split(/\n(?=\{)/)
    .map((each) => JSON.parse(each) as unknown);
}

/** Whether a value has all that an example shows. */
function hasForm(actual: unknown, example: unknown, name = ''): boolean {
  if (EXACT.has(name)) return actual === example;
  if (typeof actual !== typeof example || (actual === null) !== (example === null)) return false;
  if (typeof example !== 'object' || example === null) return true;
  if (Array.isArray(example)) {
    const found = actual as readonly unknown[];
    return Array.isArray(found) && example.every((each) => found.some((one) => hasForm(one, each)));
  }
  return Object.entries(example).every(([key, value]) => {
    return hasForm((actual as Record<string, unknown>)[key], value, key);
  });
}
