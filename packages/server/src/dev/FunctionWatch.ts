import { execFile } from 'node:child_process';
import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
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
  private watcher: FSWatcher | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isChecking = false;
  private isChanged = false;

  constructor(
    private readonly folder: string,
    private readonly restart: () => Promise<void>,
    private readonly show: (line: string) => void,
  ) {}

  /** The folder may be made later. */
  start(): void {
    if (existsSync(this.folder)) {
      this.watcher = watch(this.folder, { recursive: true }, () => {
        if (existsSync(this.folder)) this.changed();
        else this.begin();
      });
      return;
    }
    this.watcher = watch(dirname(this.folder), (_, name) => {
      if (name === basename(this.folder) && existsSync(this.folder)) this.begin();
    });
  }

  stop(): void {
    this.watcher?.close();
    clearTimeout(this.timer);
  }

  /** The folder has been made or removed, as by a change of branches. */
  private begin(): void {
    this.stop();
    this.start();
    this.changed();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.apply(), QUIET_MS);
  }

  private async apply(): Promise<void> {
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

function check(folder: string): Promise<string | undefined> {
  const command = fileURLToPath(new URL('../bin/millrace-dev.js', import.meta.resolve('@millrace/server')));
  return new Promise((resolve) => {
    execFile(process.execPath, [command, CHECK_FUNCTIONS, folder], (error, output, errors) => {
      const [line = 'they can not be loaded'] = `${output}${errors}`.split('\n');
      resolve(error === null ? undefined : line);
    });
  });
}
