import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand, startCommand, type RunningCommand } from './runCommand.js';

/** Where a guide is walked through. */
export interface Walk {
  /** An empty folder. */
  readonly folder: string;
  readonly environmentOf: (command: string) => Readonly<Record<string, string>>;
}

/** What happened: a line for each command. */
export interface WalkedGuide {
  readonly commands: readonly string[];
}

const PROMISE = ' # → ';

/**
 * Does what a page tells its reader to do, in order: writes each code block that begins with the name of a file in a
 * comment, and runs each line of its shell blocks. `# → text` at the end of a line is what the output has to hold. A line
 * that ends with `&` goes on until the end; later lines find it where it really listens, in place of the page's port.
 * @throws Error with all output where something isn't as the page says
 */
export async function walkGuide(page: string, { folder, environmentOf }: Walk): Promise<WalkedGuide> {
  const running: RunningCommand[] = [];
  const commands: string[] = [];
  let place = folder;
  let url: string | undefined;
  const doLine = async (line: string) => {
    const [, target] = /^cd (\S+)$/.exec(line) ?? [];
    if (target !== undefined) {
      place = join(place, target);
      return;
    }
    const [command = '', promised] = line.split(PROMISE);
    const context = { folder: place, environment: environmentOf(command) };
    commands.push(command);
    if (command.endsWith(' &')) {
      const started = startCommand(command.slice(0, -2), context);
      running.push(started);
      [, url] = await started.waitFor(/listens on (http:\/\/[\d.:]+)(?= \(http\)|\s*$)/m);
      return;
    }
    const real = url === undefined ? command : command.replace(/http:\/\/127\.0\.0\.1:\d+/, url);
    const output = await runCommand(real.replace(/^curl /, 'curl --silent --show-error '), context);
    if (promised !== undefined && !output.includes(promised.trim()))
      throw new Error(`"${command}" was to give ${promised}, and gave:\n${output}`);
  };
  try {
    for (const [, language = '', text = ''] of page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
      const [, file] = /^\/\/ ([\w/.-]+\.m?js)\n/.exec(text) ?? [];
      if (file !== undefined) {
        await mkdir(dirname(join(place, file)), { recursive: true });
        await writeFile(join(place, file), text);
      } else if (language === 'sh') {
        for (const line of text.split('\n')) if (line.trim() !== '') await doLine(line.trim());
      }
    }
  } finally {
    for (const command of running) await command.stop();
  }
  return { commands };
}
