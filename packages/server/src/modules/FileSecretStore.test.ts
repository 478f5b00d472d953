import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { FileSecretStore } from './FileSecretStore.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-secrets-'));
  path = join(folder, 'signing-key.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe('FileSecretStore', () => {
  it('keeps secrets over a restart in a file of mode 0600, and removes them', async () => {
    const store = new FileSecretStore(path, silentLogger);
    expect(await store.read('a')).toBeNull();
    await store.write('a', 'first');
    await store.write('b', 'second');
    await store.write('a', 'third');
    expect(await modeOf(path)).toBe(0o600);
    const again = new FileSecretStore(path, silentLogger);
    expect([await again.read('a'), await again.read('b'), await again.read('c')]).toEqual(['third', 'second', null]);
    await again.remove('a');
    await again.remove('nothing');
    expect(await store.read('a')).toBeNull();
    expect(await readdir(folder)).toEqual(['signing-key.json']);
  });

  it('takes rights away from others that a file or an unfinished one has', async () => {
    const store = new FileSecretStore(path, silentLogger);
    await writeFile(path, '{"a": "kept"}', { mode: 0o644 });
    await chmod(path, 0o644);
    await writeFile(`${path}.new`, '{', { mode: 0o644 });
    expect(await store.read('a')).toBe('kept');
    expect(await modeOf(path)).toBe(0o600);
    await store.write('a', 'changed');
    expect(await modeOf(path)).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ a: 'changed' });
  });

  it.each([['{"a": '], ['[]'], ['{"a": 5}'], ['']])('refuses a file with %j, and shows none of it', async (content) => {
    await writeFile(path, content, { mode: 0o600 });
    const read = new FileSecretStore(path, silentLogger).read('a');
    await expect(read).rejects.toMatchObject({ id: 'core.invalid_config' });
    await expect(read).rejects.toThrow(`${path} can't be read: expected a JSON object of strings. Restore it`);
  });
});
