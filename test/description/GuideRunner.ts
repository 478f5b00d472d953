import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@millrace/kernel';
import { installedPlugins, Kernel } from '@millrace/server';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { codeBlocks } from '../../scripts/docs/codeBlocks.mjs';
import { runMillrace, type MillraceProcess } from '../process/runMillrace.js';

const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last line of words before it. */
  readonly lead: string;
}

/**
 * Does what a guide says, in an empty folder: runs its commands in their order against servers that it starts as the guide
 * does (but on free ports), makes the files it tells to save, and compares what comes with what it shows. What can't be
 * done here is left out: `npm install` of ourselves, pages (test/browser opens them), and configurations of servers that are not there are only checked.
 */
export class GuideRunner {
  /** Commands run, answers compared. */
  readonly done = { commands: 0, answers: 0, programs: 0 };
  readonly problems: string[] = [];
  /** Commands that were refused although the guide shows no refusal. */
  readonly refusals: string[] = [];
  private folder = '';
  private server: MillraceProcess | undefined;
  private ports = new Map<string, string>();
  /** What the last command wrote; a start of a server writes its addresses. */
  private output = '';
  private isRefused = false;

  /** @param runsPrograms of a program and a command that do the same, which the site shows as tabs, runs the program */
  constructor(private readonly runsPrograms = false) {}

  async run(markdown: string): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'millrace-guide-'));
    try {
      await symlink(MODULES, join(this.folder, 'node_modules'));
      const blocks = (codeBlocks as (page: string) => readonly Block[])(markdown);
      for (const [position, block] of blocks.entries()) {
        await this.follow(block, blocks[position - 1], blocks[position + 1]);
      }
    } finally {
      await this.stopServer();
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  private async follow(block: Block, before?: Block, after?: Block): Promise<void> {
    const [, file] = /`([\w./-]+\.(?:mjs|ts|jsonl?))`:$/.exec(block.lead) ?? [];
    if (this.runsPrograms && isTab(block, after)) return this.runProgram(block.text);
    if (this.runsPrograms && isTab(before, block)) return;
    if (block.language === 'sh') return this.runCommands(block.text);
    if (file !== undefined) return this.save(file, block, after);
    // JSON behind words may be anything; JSON right behind a command is its answer.
    const isShown = block.language === 'text' || (block.language === 'json' && block.lead === '```');
    const isAnswer = before?.language === 'sh' && isShown;
    if (isAnswer) this.compare(block);
  } // prettier-ignore

  private async save(file: string, { text }: Block, after?: Block): Promise<void> {
    if (file === 'millrace.config.json') {
      // Names every wrong key or value; opens nothing.
      const config = JSON.parse(text) as JsonObject;
      void new Kernel({ config, plugins: await installedPlugins() });
      if (after?.language !== 'sh' || !after.text.startsWith('npx millrace')) return;
    }
    const path = join(this.folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.toOwnPorts(text));
  }

  private async runCommands(text: string): Promise<void> {
    const wanted = text.split('\n').filter((line) => !/^np(?:m (?:install|init)|x vite) /.test(line));
    const start = wanted.findIndex(
      (line) => /^(?:\w+=\S+ )*npx millrace(?: start| --|$)/.test(line) && !line.includes('||'),
    );
    if (start === -1) return this.shell(wanted.join('\n'));
    if (start > 0) await this.shell(wanted.slice(0, start).join('\n'), true);
    await this.startServer(wanted[start] ?? '');
  }

  /** With a client that prints each answer, as curl does. */
  private async runProgram(text: string): Promise<void> {
    if (this.server === undefined) await this.startServer('npx millrace');
    const program = `import { createClient } from '@millrace/client';
      const print = async (...asked) => {
        const response = await fetch(...asked);
        process.stdout.write(await response.clone().text());
        return response;
      };
      const auth = { token: () => process.env.TOKEN || null };
      const client = createClient('${this.toOwnPorts('http://127.0.0.1:7511')}', { auth, fetch: print });
      ${text}`;
    await writeFile(join(this.folder, 'program.mjs'), program);
    await this.shell('TOKEN="$TOKEN" node program.mjs');
    this.done.programs++;
  }

  private async startServer(line: string): Promise<void> {
    await this.stopServer();
    const words = line.replaceAll('8080', '0').split(' ');
    const at = words.indexOf('npx');
    const environment = words.slice(0, at).map((word) => {
      const [name = '', value = ''] = word.split('=');
      return [name, value] as const;
    });
    const server = runMillrace(this.folder, words.slice(at + 2), {
      MILLRACE_HTTP_PORT: '0',
      ...Object.fromEntries(environment),
    });
    this.server = server;
    await server.listening;
    this.output = '';
    this.done.commands++;
    await expectEventually(() => server.output().includes('(mqtt)'));
    for (const [address, port = '', protocol = ''] of server.output().matchAll(ADDRESS)) {
      this.ports.set(protocol, port);
      this.output += `${address}\n`;
    }
  }

  private async stopServer(): Promise<void> {
    this.server?.signal('SIGTERM');
    await this.server?.ended;
    this.server = undefined;
  }

  /** @param isQuiet for a server that has to be stopped first */
  private async shell(text: string, isQuiet = false): Promise<void> {
    if (text.trim() === '') return;
    if (isQuiet || text.startsWith('tar ')) await this.stopServer();
    else if (this.server === undefined) await this.startServer('npx millrace');
    const own = this.toOwnPorts(text).replaceAll('npx millrace', `"${process.execPath}" "${BIN}"`);
    // Variables live on from block to block, as in a terminal. A block fails with its last command.
    const keep = 'declare -p TOKEN ADMIN SCRAPER BEFORE cursor > .vars 2>/dev/null';
    const script = `[ -f .vars ] && . ./.vars\n${own}\nfailed=$?\n${keep}\nexit $failed`;
    const env = { ...process.env, XDG_CONFIG_HOME: this.folder };
    const child = spawn('bash', ['-c', script], { cwd: this.folder, env });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    // The progress bar of curl is no answer.
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().startsWith('millrace: ')) output += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number];
    this.output = output;
    this.done.commands++;
    if (code !== 0) this.problems.push(`${text}: exit code ${code}`);
    this.isRefused = lastAnswer(output).includes('"error":{');
    if (this.isRefused) this.refusals.push(`${text}: ${lastAnswer(output)}`);
  }

  private compare({ language, text }: Block): void {
    this.done.answers++;
    // A refusal that the guide shows is meant.
    if (this.isRefused && text.includes('"error"')) this.refusals.pop();
    if (language === 'json') {
      const actual = JSON.parse(lastAnswer(this.output) || 'null') as unknown;
      this.problems.push(...differences(actual, JSON.parse(text), 'answer'));
    } else {
      const [actual, expected] = [this.output, text].map((each) => each.replace(/:\d+ \(/g, ': (').trim());
      if (!(actual ?? '').endsWith(expected ?? '')) this.problems.push(`expected ${expected}\ngot ${actual}`);
    }
  }

  private toOwnPorts(text: string): string {
    return text
      .replace(/npx millrace (?:login \w+|token)/g, '$& --url http://127.0.0.1:7511')
      .replaceAll('127.0.0.1:7511', `127.0.0.1:${this.ports.get('http') ?? '7511'}`)
      .replaceAll('127.0.0.1:7513', `127.0.0.1:${this.ports.get('websocket') ?? '7513'}`)
      .replaceAll('127.0.0.1:1883', `127.0.0.1:${this.ports.get('mqtt') ?? '1883'}`);
  }
}

const ADDRESS = /Millrace listens on \w+:\/\/127\.0\.0\.1:(\d+) \((\w+)\)/g;

/** As `groupCode` of the site's configuration finds them. */
function isTab(program?: Block, command?: Block): boolean {
  if (program === undefined || command === undefined || command.lead !== '```') return false;
  return program.language === 'ts' && command.language === 'sh' && /^(?:curl|npx millrace) /.test(command.text);
}

/** Responses follow one another, as curl ends none with a line. */
function lastAnswer(output: string): string {
  const at = output.lastIndexOf('{"requestId"');
  return at === -1 ? '' : output.slice(at).trim();
}

/** Where `actual` has not what `expected` shows: members may be left out of what is shown. */
function differences(actual: unknown, expected: unknown, path: string): string[] {
  if (typeof expected !== 'object' || expected === null) {
    const shown = JSON.stringify(actual);
    return actual === expected ? [] : [`${path}: expected ${JSON.stringify(expected)}, got ${shown}`];
  }
  if (typeof actual !== 'object' || actual === null) return [`${path}: got ${String(actual)}`];
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length) {
    return [`${path}: expected ${expected.length} items, got ${JSON.stringify(actual)}`];
  }
  return Object.entries(expected).flatMap(([key, value]) =>
    differences((actual as Record<string, unknown>)[key], value, `${path}.${key}`),
  );
}

async function expectEventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}
