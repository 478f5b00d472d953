import { localAuth } from '@millrace/auth-local';
import { createClient, type TokenStore } from '@millrace/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestKernel, type TestKernel } from '@millrace/testing';

const CREDENTIALS = { username: 'ada', password: 'correct horse battery' };

describe('sessions of the client', () => {
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel({
      plugins: [localAuth()],
      config: { security: { login: { maxPerMinute: 10_000, burst: 10_000 } } },
    });
    const { password } = CREDENTIALS;
    const body = { password, name: 'Ada' };
    const { status } = await server.ask('POST', '/users/ada/_createFirstAdmin', body);
    expect(status).toBe(200);
  });
  afterAll(() => server.close());

  /** A client, and what it sent. */
  function open(auth?: TokenStore) {
    const sent: string[] = [];
    const client = createClient(server.url, {
      ...(auth && { auth }),
      fetch: (input, init) => {
        sent.push(new URL(input as string).pathname.replace('/_message/', ''));
        return fetch(input, init);
      },
    });
    return { client, sent };
  }

  /** A store that several clients share, as tabs do. */
  function sharedStore() {
    const listeners = new Set<() => void>();
    let kept: string | null = null;
    let last: Promise<unknown> = Promise.resolve();
    return (): TokenStore => ({
      get: () => kept,
      set: (token) => {
        kept = token;
        for (const listener of listeners) setTimeout(listener);
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      exclusive: async (work) => {
        const mine = last.then(work, work);
        last = mine;
        return mine;
      },
    });
  }

  it('logs in, tells the current user, and logs out', async () => {
    const { client } = open();
    const tokens: (string | null)[] = [];
    client.session.onTokenChange((token) => tokens.push(token));
    expect(await client.currentUser()).toBeNull();
    expect(await client.login('local', CREDENTIALS)).toEqual({ userId: 'ada' });
    expect(await client.currentUser()).toMatchObject({ id: 'ada', source: { name: 'Ada' } });
    const token = (await client.session.token()) ?? '';
    await client.logout();
    expect(await client.currentUser()).toBeNull();
    expect(tokens).toEqual([token, null]);
    expect((await client.actions.auth.checkToken({ token })).valid).toBe(false);
    const wrong = client.login('local', { ...CREDENTIALS, password: 'x' });
    await expect(wrong).rejects.toMatchObject({ id: 'auth.wrong_credentials', status: 401 });
  });

  it('renews the token once for many requests, before it expires, for the same time', async () => {
    const { client, sent } = open();
    await client.login('local', CREDENTIALS, { expiresIn: '50m' });
    const first = await client.session.token();
    sent.length = 0;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 45 * 60_000 });
    try {
      const answers = await Promise.all(Array.from({ length: 10 }, () => client.currentUser()));
      expect(answers.every((user) => user?.id === 'ada')).toBe(true);
      const token = (await client.session.token()) ?? '';
      expect(token).not.toBe(first);
      expect(sent.filter((name) => name === 'auth/refreshToken')).toHaveLength(1);
      const { expiresAt } = await client.actions.auth.checkToken({ token });
      expect(Math.round((Number(expiresAt) - Date.now()) / 60_000)).toBe(50);
    } finally {
      vi.useRealTimers();
    }
  });

  it('renews the token without requests while there are listeners', async () => {
    const { client } = open();
    const tokens: (string | null)[] = [];
    const end = client.session.onTokenChange((token) => tokens.push(token));
    await client.login('local', CREDENTIALS, { expiresIn: '3s' });
    await vi.waitFor(() => expect(tokens.length).toBeGreaterThan(1), { timeout: 60_000 });
    end();
    expect(tokens[1]).not.toBe(tokens[0]);
  });

  it('renews once for two tabs, and both go on with the new token', async () => {
    const store = sharedStore();
    const [one, two] = [open(store()), open(store())];
    const tokens: (string | null)[] = [];
    two.client.session.onTokenChange((token) => tokens.push(token));
    await one.client.login('local', CREDENTIALS);
    const first = await one.client.session.token();
    await Promise.all([one.client.session.renew(first ?? ''), two.client.session.renew(first ?? '')]);
    const all = [...one.sent, ...two.sent].filter((name) => name === 'auth/refreshToken');
    expect(all).toHaveLength(1);
    const next = await two.client.session.token();
    expect(next).not.toBe(first);
    expect(await one.client.session.token()).toBe(next);
    await vi.waitFor(() => expect(tokens.at(-1)).toBe(next));
    expect((await two.client.currentUser())?.id).toBe('ada');
  });

  it('repeats a request whose token was replaced meanwhile', async () => {
    const store = sharedStore();
    const [one, two] = [open(store()), open(store())];
    await one.client.login('local', CREDENTIALS);
    const send = one.client.transport;
    let count = 0;
    one.client.transport = async (message, context) => {
      // The other tab renews while this request is on its way: its token is revoked.
      if (count++ === 0) await two.client.session.renew(context.token ?? '');
      return send(message, context);
    };
    expect((await one.client.actions.auth.getCurrentUser())._id).toBe('ada');
    expect(count).toBe(2);
  });

  it('ends the session when the token has expired, and refreshes tokens of the application', async () => {
    const { client } = open();
    await client.login('local', CREDENTIALS, { expiresIn: '1s' });
    const expired = (await client.session.token()) ?? '';
    const { auth } = open().client.actions;
    await expect.poll(async () => (await auth.checkToken({ token: expired })).valid).toBe(false);
    const tokens: (string | null)[] = [];
    client.session.onTokenChange((token) => tokens.push(token));
    await expect(client.currentUser()).rejects.toMatchObject({ id: 'auth.token_expired' });
    expect(tokens).toContain(null);
    expect(await client.currentUser()).toBeNull();

    await client.login('local', CREDENTIALS);
    const fresh = await client.session.token();
    const refreshed = vi.fn(async () => fresh);
    const own = createClient(server.url, { auth: { token: () => expired, refresh: refreshed } });
    const users = await Promise.all([own.currentUser(), own.currentUser()]);
    expect(users.map((user) => user?.id)).toEqual(['ada', 'ada']);
    expect(refreshed).toHaveBeenCalledTimes(1);
  });

  it('sends the token of one request in place of that of the session', async () => {
    const { client } = open();
    await client.login('local', CREDENTIALS);
    await expect(client.actions.auth.getMyRights({}, { token: null })).resolves.toBeDefined();
    const refused = client.actions.security.getUser({ _id: 'ada' }, { token: null });
    await expect(refused).rejects.toMatchObject({ status: 401 });
    expect((await client.actions.security.getUser({ _id: 'ada' }))._id).toBe('ada');
  });
});
