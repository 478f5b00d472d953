import { chmod, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { coreErrors, isJsonObject, type Logger, type SecretStore } from '@millrace/kernel';

const OWNER_ONLY = 0o600;

/**
 * Stores the server's secrets in one JSON file that only its owner may read. The file is replaced atomically: a crash
 * leaves the old file or the new one. The folder must exist and be used by this process only.
 */
export class FileSecretStore implements SecretStore {
  constructor(
    private readonly path: string,
    private readonly log: Logger,
  ) {}

  async read(name: string): Promise<string | null> {
    return (await this.all()).get(name) ?? null;
  }

  async write(name: string, secret: string): Promise<void> {
    const secrets = new Map(await this.all());
    secrets.set(name, secret);
    await this.replace(secrets);
  }

  async remove(name: string): Promise<void> {
    const secrets = new Map(await this.all());
    if (secrets.delete(name)) await this.replace(secrets);
  }

  /** All secrets by name. */
  async all(): Promise<ReadonlyMap<string, string>> {
    let content: string;
    try {
      content = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
      throw this.unreadable((error as Error).message, error);
    }
    await this.restrict();
    const values = parse(content);
    if (values === null) throw this.unreadable('expected a JSON object of strings');
    return values;
  }

  private async restrict(): Promise<void> {
    const { mode } = await stat(this.path);
    if ((mode & 0o077) === 0) return;
    await chmod(this.path, OWNER_ONLY);
    this.log.warn({ file: this.path }, 'others could read the file of secrets: its mode is 0600 now');
  }

  private async replace(secrets: ReadonlyMap<string, string>): Promise<void> {
    const temporary = `${this.path}.new`;
    const file = await open(temporary, 'w', OWNER_ONLY);
    try {
      // The mode above applies to new files only, and a crash may have left this one.
      await file.chmod(OWNER_ONLY);
      await file.writeFile(`${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.path);
    const folder = await open(dirname(this.path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Never includes the content: the message goes to terminals and logs. */
  private unreadable(reason: string, cause?: unknown): Error {
    const problem = `${this.path} can't be read: ${reason}. Restore it from a copy, or remove it to have a new key made, which ends all sessions`;
    return coreErrors.invalid_config({ problem }, { cause });
  }
}

function parse(content: string): ReadonlyMap<string, string> | null {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const entries = Object.entries(value);
  const areTexts = entries.every((entry): entry is [string, string] => typeof entry[1] === 'string');
  return areTexts ? new Map(entries) : null;
}
