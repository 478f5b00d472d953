import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isJsonObject } from '@millrace/kernel';
import { decodeToken } from '@millrace/security';
import type { CommandContext } from './Command.js';

/** A token of a server, as `login` has received it. */
export interface SavedToken {
  readonly token: string;
  /** Id of the user. */
  readonly user: string;
}

/**
 * The tokens of `login` by address of the server, in a file that only its user can read:
 * `$XDG_CONFIG_HOME/millrace/tokens.json`, by default in `~/.config`.
 */
export class SavedTokens {
  private readonly path: string;

  constructor({ environment }: CommandContext) {
    const { XDG_CONFIG_HOME = '', HOME = homedir() } = environment;
    const folder = XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME;
    this.path = join(folder, 'millrace', 'tokens.json');
  }

  /** Undefined if there is none, or it has expired. */
  async find(url: string): Promise<SavedToken | undefined> {
    const saved = (await this.read())[url];
    return saved === undefined || hasExpired(saved) ? undefined : saved;
  }

  /** Replaces the token of a server, and forgets those that have expired. */
  async save(url: string, token: SavedToken): Promise<void> {
    const others = Object.entries(await this.read()).filter(([, each]) => !hasExpired(each));
    const text = JSON.stringify({ ...Object.fromEntries(others), [url]: token }, null, 2);
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const written = `${this.path}.${process.pid}`;
    await writeFile(written, `${text}\n`, { mode: 0o600 });
    await rename(written, this.path);
  }

  private async read(): Promise<Readonly<Record<string, SavedToken>>> {
    const text = await readFile(this.path, 'utf8').catch(() => '{}');
    try {
      const saved: unknown = JSON.parse(text);
      return isJsonObject(saved) ? (saved as unknown as Record<string, SavedToken>) : {};
    } catch {
      // `login` writes it again.
      return {};
    }
  }
}

/** When a token expires, in milliseconds since 1970; -1: never. The server checks the token: here only its time is read. */
export function expiryOf(token: string): number {
  const { exp } = decodeToken(token) ?? {};
  return typeof exp === 'number' ? exp * 1_000 : -1;
}

function hasExpired({ token }: SavedToken): boolean {
  const expiresAt = expiryOf(token);
  return expiresAt !== -1 && expiresAt <= Date.now();
}
