import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '@millrace/auth-local';
import { adminConsole } from '@millrace/console';
import { silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

describe('the life of a session of the console', () => {
  let dataDir: string;
  let kernel: Kernel;
  let url = '';

  const start = async (security: JsonObject = {}) => {
    kernel = new Kernel({
      config: { http: { port: 0 }, server: { dataDir }, security },
      plugins: [localAuth(), adminConsole({ enabled: true })],
      logger: silentLogger,
    });
    const addresses = await kernel.start();
    url = addresses.find(({ protocol }) => protocol === 'http')?.url ?? '';
  };
  const result = async (action: string, fields: JsonObject) => {
    const [controller = '', name = ''] = action.split('.');
    const user = { _id: 'test', profileIds: ['admin'] } as never;
    return (await kernel.execute({ ...fields, controller, action: name }, { user })).result as JsonObject;
  };
  const login = async () => {
    const body = { username: 'admin', password: PASSWORD };
    return ((await result('auth.login', { body })) as { readonly jwt: string }).jwt;
  };
  const isValid = async (token: string) => (await result('auth.checkToken', { token }))['valid'];
  /** The token that it gives, and the next cookie. */
  const open = async (headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${url}/_console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin', ...headers },
      body: '{}',
    });
    const { result: given } = (await response.json()) as { readonly result: { readonly jwt: string | null } };
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return { jwt: given.jwt, cookie };
  };
  const begin = async () => open({ authorization: `Bearer ${await login()}` });

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-session-'));
  });
  afterEach(async () => {
    await kernel.stop();
    vi.useRealTimers();
    await rm(dataDir, { recursive: true, force: true });
  });
  const administrator = () => result('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD } });
  const wait = (hours: number) => vi.setSystemTime(Date.now() + hours * HOUR_MS);

  it('has the same token for an hour, then another one', async () => {
    await start();
    await administrator();
    const first = await begin();
    const again = await open({ cookie: first.cookie });
    expect(again.jwt).toBe(first.jwt);
    wait(2);
    const later = await open({ cookie: again.cookie });
    expect(later.jwt).not.toBe(first.jwt);
    expect([await isValid(first.jwt ?? ''), await isValid(later.jwt ?? '')]).toEqual([false, true]);
  });

  it('ends after 8 hours without use', async () => {
    await start();
    await administrator();
    const { cookie } = await begin();
    wait(8.1);
    expect(await open({ cookie })).toEqual({ jwt: null, cookie: 'millrace-console=' });
    wait(-8);
    expect(await open({ cookie })).toMatchObject({ jwt: null });
  });

  it('ends after 7 days, with its token', async () => {
    await start();
    await administrator();
    let { cookie, jwt } = await begin();
    for (let hours = 0; hours < 7 * 24 - 7; hours += 7) {
      wait(7);
      ({ cookie, jwt } = await open({ cookie }));
      expect(jwt).toBeTypeOf('string');
    }
    const last = jwt ?? '';
    expect(await isValid(last)).toBe(true);
    wait(7.5);
    expect(await open({ cookie })).toMatchObject({ jwt: null });
    expect(await isValid(last)).toBe(false);
  });

  it('survives a restart, and ends with a change of the password', async () => {
    await start();
    await administrator();
    const first = await begin();
    await kernel.stop();
    await start();
    const again = await open({ cookie: first.cookie });
    expect(again.jwt).toBe(first.jwt);
    await result('security.updateUser', { _id: 'admin', body: { password: `${PASSWORD} 2` } });
    expect(await open({ cookie: again.cookie })).toMatchObject({ jwt: null });
  });

  it('is replaced by that of the next login in the browser', async () => {
    await start();
    await administrator();
    const first = await begin();
    const second = await open({ authorization: `Bearer ${await login()}`, cookie: first.cookie });
    expect([await isValid(first.jwt ?? ''), await isValid(second.jwt ?? '')]).toEqual([false, true]);
    expect(await open({ cookie: first.cookie })).toMatchObject({ jwt: null });
  });

  it('lasts as long as a token may, where that is shorter', async () => {
    await start({ jwt: { maxTTL: '2h', expiresIn: '1h' } });
    await administrator();
    const { cookie } = await begin();
    wait(0.5);
    const again = await open({ cookie });
    expect(again.jwt).toBeTypeOf('string');
    wait(1.1);
    expect(await open({ cookie: again.cookie })).toMatchObject({ jwt: null });
  });

  it('is kept without its token and its cookie in clear', async () => {
    await start();
    await administrator();
    const { jwt, cookie } = await begin();
    await kernel.stop();
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    const [id = '', secret = ''] = cookie.slice('millrace-console='.length).split('.');
    const isKept = (text: string) => contents.some((content) => content.includes(text));
    expect(isKept(createHash('sha256').update(id).digest('base64url'))).toBe(true);
    expect([jwt ?? '', id, secret].filter(isKept)).toEqual([]);
    await start();
  });
});
