import { execFile } from 'node:child_process';
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Editors write a file in several steps. */
const QUIET_MS = 50;

/** The argument with which `millrace-dev` checks a folder and ends. */
export const CHECK_FUNCTIONS = '--check-functions';

/**
 * Watches a folder of server functions. After a change another process loads them: if it can, the server is restarted, else
 * the one that runs is left alone and the problem is shown.
 */
export class FunctionWatch {
  private watchers: readonly FSWatcher[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isChecking = false;
  private isChanged = false;

  constructor(
    private readonly folder: string,
    private readonly restart: () => Promise<void>,
    private readonly show: (line: string) => void,
  ) {}

  /** The folder may be made later, and removed and made again, as by a change of branches. */
  start(): void {
    this.close();
    this.watchers = existsSync(this.folder)
      ? foldersIn(this.folder).map((folder) => watch(folder, () => this.changed()))
      : [watch(dirname(this.folder), (_, name) => void (name === basename(this.folder) && this.changed()))];
    // A removed folder is an error on some systems.
    for (const watcher of this.watchers) watcher.on('error', () => this.changed());
  }

  stop(): void {
    this.close();
    clearTimeout(this.timer);
  }

  private close(): void {
    for (const watcher of this.watchers) watcher.close();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.apply(), QUIET_MS);
  }

  private async apply(): Promise<void> {
    // There may be other folders now.
    this.start();
    this.isChanged = true;
    if (this.isChecking) return;
    this.isChecking = true;
    while (this.isChanged) {
      this.isChanged = false;
      const problem = existsSync(this.folder) ? await check(this.folder) : undefined;
      if (problem === undefined) await this.restart();
      else this.show(`${problem} (the last version that worked keeps running)`);
    }
    this.isChecking = false;
  }
}

/**
 * The folder and those in it. Each has a watcher of itself: the recursive one of Node.js 20 no longer reports a file that an
 * editor has replaced.
 */
function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  return [folder, ...inside];
}

function check(folder: string): Promise<string | undefined> {
  const command = fileURLToPath(new URL('../bin/millrace-dev.js', import.meta.resolve('@millrace/server')));
  return new Promise((resolve) => {
    execFile(process.execPath, [command, CHECK_FUNCTIONS, folder], (error, output, errors) => {
      const [line = 'they can not be loaded'] = `${output}${errors}`.split('\n');
      resolve(error === null ? undefined : line);
    });
  });
}
