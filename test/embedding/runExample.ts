import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../examples/embed-in-existing-app/', import.meta.url));

/** An example application that runs as a separate process. */
export interface RunningExample {
  readonly url: string;
  /** Sends SIGTERM; resolves with the exit code and what was written to standard error. */
  stop(): Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts `node <file>` on a free port and an empty data folder. */
export async function runExample(file: string): Promise<RunningExample> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-embed-'));
  const child = spawn(process.execPath, [join(FOLDER, file)], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let [output, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    await rm(dataDir, { recursive: true, force: true });
    return { code, errors };
  };
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, found] = /listens on (http:\S+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`${file} has ended: ${output}${errors}`)));
  });
  return { url, stop };
}

/** Runs `node <file>` until it exits. */
export async function runToEnd(file: string): Promise<string> {
  const child = spawn(process.execPath, [join(FOLDER, file)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} has ended with ${code}: ${output}`);
  return output;
}
