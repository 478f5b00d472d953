import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Logger, SecretStore } from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  type SecurityOverrides,
  type TestEngine,
  type TestSecurity,
} from '../openTestSecurity.test.support.js';

const SECRET = 'a-secret-of-the-operator-0123456789';
let shared: TestEngine;
let count = 0;
const opened: TestSecurity[] = [];

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
afterEach(async () => {
  for (const security of opened.splice(0)) await security.close();
});

class MemorySecrets implements SecretStore {
  readonly values = new Map<string, string>();
  async read(name: string) {
    return this.values.get(name) ?? null;
  }
  async write(name: string, secret: string) {
    this.values.set(name, secret);
  }
  async remove(name: string) {
    this.values.delete(name);
  }
}

/** One installation that is restarted repeatedly. */
function installation() {
  const index = `%vault${++count}`;
  const warnings: string[] = [];
  const quiet = () => undefined;
  const warn = (_: object, message: string) => void warnings.push(message);
  const log: Logger = { debug: quiet, info: quiet, error: quiet, warn, child: () => log };
  const start = async (config: SecurityOverrides = {}, secrets?: SecretStore) => {
    const given = secrets === undefined ? {} : { secrets };
    const security = await openTestSecurity({
      engine: shared.engine,
      index,
      config,
      log,
      ...given,
    });
    opened.push(security);
    return security;
  };
  const stored = async () => (await shared.engine.read({ index, collection: 'keys' }, 'jwt-HS256'))?.source;
  return { start, stored, warnings };
}

const isValid = async (security: TestSecurity, token: string) =>
  (await security.result('auth.checkToken', { body: { token } }))['valid'];

describe('the signing key', () => {
  it('moves out of the internal store into a file where there can be one, and sessions survive', async () => {
    const { start, stored } = installation();
    const before = await start();
    const jwt = await before.admin();
    const key = (await stored())?.['key'];
    expect(key).toBeTypeOf('string');
    const secrets = new MemorySecrets();
    expect(await isValid(await start({}, secrets), jwt)).toBe(true);
    expect(await stored()).toBeUndefined();
    expect([...secrets.values]).toEqual([['jwt-HS256', key]]);
    expect(await isValid(await start({}, secrets), jwt)).toBe(true);
  });

  it('is erased from the store only once it is in the file', async () => {
    const { start, stored } = installation();
    await start();
    const full = new MemorySecrets();
    full.write = () => Promise.reject(new Error('no space left on device'));
    await expect(start({}, full)).rejects.toThrow('no space left');
    expect((await stored())?.['key']).toBeTypeOf('string');
  });

  it('is encrypted in the store by a configured secret, wherever it was before', async () => {
    for (const secrets of [undefined, new MemorySecrets()]) {
      const { start, stored, warnings } = installation();
      const jwt = await (await start({}, secrets)).admin();
      const key = (await stored())?.['key'] ?? secrets?.values.get('jwt-HS256');
      warnings.length = 0;
      const keyEncryptionSecret = SECRET;
      expect(await isValid(await start({ keyEncryptionSecret }, secrets), jwt)).toBe(true);
      const source = await stored();
      expect(Object.keys(source ?? {})).toEqual(['sealed']);
      expect(JSON.stringify(source)).not.toContain(key);
      expect(secrets?.values.size ?? 0).toBe(0);
      expect(await isValid(await start({ keyEncryptionSecret }, secrets), jwt)).toBe(true);
      expect(warnings.join()).not.toContain('keyEncryptionSecret');
    }
  });

  it('is removed from the file at the next start where the move into the store was interrupted', async () => {
    const { start } = installation();
    const secrets = new MemorySecrets();
    const jwt = await (await start({}, secrets)).admin();
    const remove = secrets.remove.bind(secrets);
    secrets.remove = () => Promise.reject(new Error('no space left on device'));
    const keyEncryptionSecret = SECRET;
    await expect(start({ keyEncryptionSecret }, secrets)).rejects.toThrow('no space left');
    expect(secrets.values.size).toBe(1);
    secrets.remove = remove;
    expect(await isValid(await start({ keyEncryptionSecret }, secrets), jwt)).toBe(true);
    expect(secrets.values.size).toBe(0);
  });

  it('is made once by two nodes that start at once with the secret', async () => {
    const { start } = installation();
    const config = { keyEncryptionSecret: SECRET };
    const [one, two] = await Promise.all([start(config), start(config)]);
    expect(await isValid(two, await one.admin())).toBe(true);
  });

  it('stops the start where the secret is missing or another one, and names the setting', async () => {
    const { start } = installation();
    await start({ keyEncryptionSecret: SECRET });
    for (const keyEncryptionSecret of ['', `${SECRET}x`]) {
      for (const secrets of [undefined, new MemorySecrets()]) {
        await expect(start({ keyEncryptionSecret }, secrets)).rejects.toMatchObject({
          id: 'core.invalid_config',
          message: expect.stringContaining('security.keyEncryptionSecret') as string,
        });
      }
    }
  });

  it('stays in the clear on a shared engine without a secret, and a warning says so', async () => {
    const { start, warnings } = installation();
    await start();
    expect(warnings.join()).toContain('Set security.keyEncryptionSecret on every node');
  });
});
