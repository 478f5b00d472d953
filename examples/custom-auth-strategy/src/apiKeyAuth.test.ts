import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { apiKeyAuth } from './apiKeyAuth.js';

interface Answer {
  readonly status: number;
  readonly result: { readonly _id: string; readonly jwt: string };
  readonly error: { readonly id: string; readonly message: string } | null;
}

let kernel: Kernel;
let dataDir: string;
let url: string;
let jwt: string;
const key = randomBytes(32).toString('base64url');

async function post(path: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const logIn = (user: unknown, given: unknown) =>
  post('/_login', { strategy: 'api-key', user, key: given });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'api-key-'));
  kernel = new Kernel({
    config: { http: { port: 0 }, server: { dataDir } },
    plugins: [localAuth(), apiKeyAuth()],
    logger: silentLogger,
  });
  const [address] = await kernel.start();
  url = address?.url ?? '';
  const password = 'a-Password-of-mine';
  await post('/users/ada/_createFirstAdmin', { password });
  ({ jwt } = (await post('/_login', { username: 'ada', password })).result);
});

afterAll(async () => {
  await kernel?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('login by an API key', () => {
  it('accepts no key before a key is taken', async () => {
    expect((await logIn('ada', key)).error?.id).toBe('auth.wrong_credentials');
  });

  it.each([undefined, 5, '', 'short', `${key} `])('takes no %j for a key', async (bad) => {
    const { status, error } = await post('/credentials/api-key/_me/_create', { key: bad }, jwt);
    expect([status, error?.id]).toEqual([400, 'apiKey.refused']);
  });

  it('lets a program in by name and key, and by nothing else', async () => {
    expect((await post('/credentials/api-key/_me/_create', { key }, jwt)).status).toBe(200);
    const { status, result } = await logIn('ada', key);
    expect([status, result._id]).toEqual([200, 'ada']);
    for (const [user, given] of [['ada', `${key}x`], ['ada', ''], ['bob', key], ['ada', [key]], [{}, key], ['__proto__', key]]) {
      expect((await logIn(user, given)).error?.id).toBe('auth.wrong_credentials');
    }
  }); // prettier-ignore

  it('shows the key nowhere, and ends with it', async () => {
    const shown = await fetch(`${url}/users/ada`, { headers: { authorization: `Bearer ${jwt}` } });
    expect(await shown.text()).not.toMatch(new RegExp(`${key}|digest`));
    await fetch(`${url}/credentials/api-key/_me`, { method: 'DELETE', headers: { authorization: `Bearer ${jwt}` } });
    expect((await logIn('ada', key)).error?.id).toBe('auth.wrong_credentials');
  }); // prettier-ignore
});
