import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What a command needs of its surroundings. */
export interface CommandContext {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A command that goes on running. */
export interface RunningCommand {
  /** Everything written so far, to either stream. */
  output(): string;
  /** Resolves with the first match in the output; rejects where the command ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it and all it has started. */
  stop(): Promise<void>;
}

/** Starts a line of shell, in a separate process group. */
export function startCommand(line: string, { folder, environment }: CommandContext): RunningCommand {
  const child = spawn('sh', ['-c', line], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (found !== null) resolve(found);
        };
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        look();
        void ended.then(() => reject(new Error(`"${line}" has ended:\n${output}`)));
      }),
    stop: async () => {
      endGroup(child);
      await ended;
    },
  };
}

/** Runs a line of shell until it exits. @throws Error with all output where it fails */
export async function runCommand(line: string, context: CommandContext): Promise<string> {
  const child = spawn('sh', ['-c', line], {
    cwd: context.folder,
    env: context.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`"${line}" has ended with ${code}:\n${output}`);
  return output;
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  process.kill(-pid, 'SIGTERM');
}
