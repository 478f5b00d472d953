/*
 * Development loop for applications and plugins: one command compiles the TypeScript, linked plugins included, and
 * restarts the server after each change. `tsc --watch` writes the files, `node --watch` detects them. Server functions are
 * checked before the server is restarted.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandCall } from '../commands/CommandCall.js';
import { parseCommand } from '../commands/parseCommand.js';
import { startCommand } from '../commands/startCommand.js';
import { checkFunctions } from './checkFunctions.js';
import { findProjects, type Project } from './findProjects.js';
import { CHECK_FUNCTIONS, FunctionWatch } from './FunctionWatch.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs `millrace-dev ENTRY [ARGUMENT]…`: compiles, starts the entry, and continues until a signal.
 * @param args the built file that starts the server, such as `dist/server.js`, and its arguments
 */
export async function runDev([entry, ...args]: readonly string[]): Promise<void> {
  if (entry === CHECK_FUNCTIONS) {
    const problem = await checkFunctions(args[0] ?? '');
    if (problem !== undefined) process.stdout.write(`${problem}\n`);
    // Functions may have left timers.
    process.exit(problem === undefined ? 0 : 1);
  }
  const loop = new DevLoop();
  try {
    if (entry === undefined) {
      throw new Error('expected the file that starts the server, such as dist/server.js');
    }
    await loop.compile(findProjects(process.cwd()));
    await loop.run(entry, args);
  } catch (error) {
    process.stderr.write(`millrace-dev: ${error instanceof Error ? error.message : String(error)}\n`);
    loop.end(1);
  }
}

/** The processes of one development loop. */
export class DevLoop {
  private readonly compilers: ChildProcess[] = [];
  private server: ChildProcess | undefined;
  private functions: FunctionWatch | undefined;
  private isEnded = false;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.end(0));
  }

  /** Resolves once each project has been compiled for the first time, with or without errors. */
  async compile(projects: readonly Project[]): Promise<void> {
    await Promise.all(projects.map((project) => this.compileOne(project)));
  }

  /** Starts the server, and restarts it after each change. */
  async run(entry: string, args: readonly string[]): Promise<void> {
    this.start(entry, args);
    const folder = await functionsFolderOf(args);
    if (folder === undefined || this.isEnded) return;
    const restart = async () => {
      const { server } = this;
      if (server === undefined || this.isEnded) return;
      this.server = undefined;
      server.kill();
      await once(server, 'exit');
      this.start(entry, args);
    };
    const show = (line: string) => process.stderr.write(`[functions] ${line}\n`);
    this.functions = new FunctionWatch(folder, restart, show);
    this.functions.start();
  }

  end(code: number): void {
    this.isEnded = true;
    process.exitCode = code;
    this.functions?.stop();
    for (const child of this.compilers) child.kill();
    this.server?.kill();
  }

  private start(entry: string, args: readonly string[]): void {
    if (this.isEnded) return;
    const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', entry, ...args], {
      stdio: 'inherit',
      env: { ...process.env, MILLRACE_DEV: '1' },
    });
    this.server = child;
    child.once('exit', (code) => {
      if (this.server === child) this.end(code ?? 0);
    });
  }

  /** Each line of compiler output is prefixed with the folder's name, because paths in it are relative to that folder. */
  private compileOne({ folder, compiler }: Project): Promise<void> {
    const flags = [compiler, '--watch', '--preserveWatchOutput', '-p', folder];
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, flags, { cwd: folder, stdio: [...stdio] });
    this.compilers.push(child);
    return new Promise((resolve, reject) => {
      const show = (line: string) => {
        if (line !== '') process.stdout.write(`[${basename(folder)}] ${line}\n`);
        if (line.includes('Watching for file changes')) resolve();
      };
      if (child.stdout !== null) createInterface(child.stdout).on('line', show);
      child.once('exit', (code) => reject(new Error(`the compiler of ${folder} ended with ${code}`)));
    });
  }
}

/** That of the configuration; undefined if none is looked for, or the arguments are those of another program. */
async function functionsFolderOf(args: readonly string[]): Promise<string | undefined> {
  const { env: environment, stdin, stdout, stderr } = process;
  const streams = { stdin, stdout, stderr };
  const context = { plugins: async () => [], environment, folder: process.cwd(), ...streams };
  try {
    const start = args[0] === startCommand.name ? args.slice(1) : args;
    return await new CommandCall(parseCommand(startCommand, start), context).functionsFolder();
  } catch {
    return undefined;
  }
}
