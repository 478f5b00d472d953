/*
 * Development loop for applications and plugins: one command compiles the TypeScript, linked plugins included, and
 * restarts the server after each change. `tsc --watch` writes the files, `node --watch` detects them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { findProjects, type Project } from './findProjects.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs `millrace-dev ENTRY [ARGUMENT]…`: compiles, starts the entry, and continues until a signal.
 * @param args the built file that starts the server, such as `dist/server.js`, and its arguments
 */
export async function runDev([entry, ...args]: readonly string[]): Promise<void> {
  const children: ChildProcess[] = [];
  const start = (file: string, own: readonly string[], folder: string, piped: boolean) => {
    const stdio = piped ? (['ignore', 'pipe', 'inherit'] as const) : 'inherit';
    const child = spawn(process.execPath, [file, ...own], {
      cwd: folder,
      stdio: stdio as 'inherit',
    });
    children.push(child);
    return child;
  };
  const end = (code: number) => {
    process.exitCode = code;
    for (const child of children) child.kill();
  };
  for (const signal of SIGNALS) process.on(signal, () => end(0));
  try {
    if (entry === undefined) {
      throw new Error('expected the file that starts the server, such as dist/server.js');
    }
    const compiled = findProjects(process.cwd()).map((project) => compile(project, start));
    await Promise.all(compiled);
    const flags = ['--watch-preserve-output', entry, ...args];
    start('--watch', flags, process.cwd(), false).once('exit', (code) => end(code ?? 0));
  } catch (error) {
    process.stderr.write(`millrace-dev: ${error instanceof Error ? error.message : String(error)}\n`);
    end(1);
  }
}

type Start = (file: string, own: readonly string[], folder: string, piped: boolean) => ChildProcess;

/**
 * Resolves once the project has been compiled for the first time, with or without errors. Each line of compiler
 * output is prefixed with the folder's name, because paths in it are relative to that folder.
 */
function compile({ folder, compiler }: Project, start: Start): Promise<void> {
  const child = start(compiler, ['--watch', '--preserveWatchOutput', '-p', folder], folder, true);
  return new Promise((resolve, reject) => {
    const show = (line: string) => {
      if (line !== '') process.stdout.write(`[${basename(folder)}] ${line}\n`);
      if (line.includes('Watching for file changes')) resolve();
    };
    if (child.stdout !== null) createInterface(child.stdout).on('line', show);
    child.once('exit', (code) => reject(new Error(`the compiler of ${folder} ended with ${code}`)));
  });
}
