/*
 * Development loop for applications and plugins: one command compiles the TypeScript, linked plugins included, and
 * restarts the server after each change. `tsc --watch` writes the files, `node --watch` detects them. Server functions are
 * checked before the server is restarted.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { inspectConfig } from '@millrace/kernel';
import { CommandCall } from '../CommandCall.js';
import { parseCommand } from '../parseCommand.js';
import { startCommand } from '../startCommand.js';
import { composeServer } from '../../composeServer.js';
import { createLogger } from '../../logging/createLogger.js';
import { loadFunctions } from '../../functions/loadFunctions.js';
import { prepareConfig } from '../../configuration/prepareConfig.js';
import { shippedPlugins } from '../../plugins/shippedPlugins.js';
import { CHECK_FUNCTIONS, FunctionWatch } from './FunctionWatch.js';

/** A folder with TypeScript that is compiled after each change. */
interface Project {
  readonly folder: string;
  /** The folder's TypeScript compiler, as a script for Node.js. */
  readonly compiler: string;
}

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

/**
 * Loads server functions and registers them with a server that isn't started.
 * @returns why they are refused, in one line; undefined if they are not
 */
async function checkFunctions(folder: string): Promise<string | undefined> {
  try {
    const own = [...shippedPlugins(), await loadFunctions(folder)];
    const { plugins, schema, sources } = prepareConfig({ plugins: own });
    const { config } = inspectConfig(schema, sources);
    await composeServer(config, plugins, createLogger({ level: 'silent', format: 'json' }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Finds the projects that a program in `folder` runs from: the folder itself, and the packages linked into its
 * `node_modules` (`npm install ../my-plugin`), each only if it has a `tsconfig.json`.
 * @throws Error if one has no TypeScript installed
 */
function findProjects(folder: string): readonly Project[] {
  const folders = [realpathSync(folder), ...linkedFolders(join(folder, 'node_modules'))];
  return folders
    .filter((each) => existsSync(join(each, 'tsconfig.json')))
    .map((each) => ({ folder: each, compiler: compilerOf(each) }));
}

function linkedFolders(modules: string): readonly string[] {
  if (!existsSync(modules)) return [];
  const linked = readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.isDirectory() && entry.name.startsWith('@')) return linkedFolders(path);
    // Packages that a package manager links from its store have a real path inside some node_modules.
    const isOutside = entry.isSymbolicLink() && existsSync(path);
    const real = isOutside ? realpathSync(path) : '';
    return isOutside && !real.split(sep).includes('node_modules') ? [real] : [];
  });
  return linked;
}

function compilerOf(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve('typescript/bin/tsc');
  } catch (error) {
    throw new Error(`${folder} has no TypeScript: run "npm install" there`, { cause: error });
  }
}
