import { accessSync, constants, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { coreErrors, isJsonObject, syncFolder } from '@millrace/kernel';

/** Where the documents of a data folder are, if not in its database. */
export interface MovedTo {
  /** `moved`: to Elasticsearch, by a server whose configuration has the embedded engine. `adopted`: for good. */
  readonly phase: 'moved' | 'adopted';
  /** Addresses of Elasticsearch, without a password. */
  readonly node: string;
  readonly prefix: string;
  /** UTC milliseconds. */
  readonly movedAt: number;
}

/** The file `engine.json` of a data folder. It has no secrets. */
export class EngineFile {
  readonly path: string;

  constructor(private readonly dataDir: string) {
    this.path = join(dataDir, 'engine.json');
  }

  /** @returns undefined if there is none @throws core.invalid_config if it can't be read */
  read(): MovedTo | undefined {
    let content: string;
    try {
      content = readFileSync(this.path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The storage engine refuses a data folder that isn't one, or isn't accessible.
      if (code === 'ENOENT' || code === 'ENOTDIR' || !this.isFolderAccessible()) return undefined;
      throw this.unreadable((error as Error).message, error);
    }
    return this.parse(content);
  }

  /** Durable when it resolves: a crash leaves the old file or the new one. */
  async write(state: MovedTo): Promise<void> {
    const temporary = `${this.path}.new`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.path);
    await syncFolder(this.dataDir);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await syncFolder(this.dataDir);
  }

  private isFolderAccessible(): boolean {
    try {
      accessSync(this.dataDir, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }

  private parse(content: string): MovedTo {
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch (error) {
      throw this.unreadable('it is not valid JSON', error);
    }
    if (!isJsonObject(value)) throw this.unreadable('expected a JSON object');
    const { phase, node, prefix, movedAt } = value;
    const isKnown = phase === 'moved' || phase === 'adopted';
    if (!isKnown || typeof node !== 'string' || typeof prefix !== 'string')
      throw this.unreadable('expected phase, node and prefix');
    return { phase, node, prefix, movedAt: Number(movedAt ?? 0) };
  }

  private unreadable(reason: string, cause?: unknown): Error {
    const problem = `${this.path} can't be read: ${reason}. It says where the documents are`;
    return coreErrors.invalid_config({ problem }, { cause });
  }
}
