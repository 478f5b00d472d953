import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger, type Plugin, type RequestFields } from '@millrace/kernel';
import { Kernel } from '@millrace/server';

const EXAMPLE = new URL('../../examples/embed-in-existing-app/appUsers.mjs', import.meta.url);
const GUIDE = new URL('../../docs/guide/embedder.md', import.meta.url);

interface AppUsers {
  readonly appUsers: Plugin;
  readonly tokenFor: (kernel: Kernel, name: string) => Promise<string>;
}

describe('users of an application', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  it('are users of the kernel, by a strategy that no client can use', async () => {
    const { appUsers, tokenFor } = (await import(EXAMPLE.href)) as AppUsers;
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-app-users-'));
    const kernel = new Kernel({
      config: { http: { listen: false }, server: { dataDir } },
      plugins: [appUsers],
      logger: silentLogger,
    });
    ends.push(async () => {
      await kernel.stop();
      await rm(dataDir, { recursive: true });
    });
    await kernel.start();
    const admin = {
      controller: 'security',
      action: 'createFirstAdmin',
      _id: 'app',
      body: {},
    } as const;
    expect(await kernel.execute(admin)).toMatchObject({ status: 200 });
    const userOf = async (jwt: string) => {
      const fields = { controller: 'auth', action: 'getCurrentUser', jwt } as RequestFields;
      return (await kernel.execute(fields)).result as { readonly _id: string };
    };
    const ada = await userOf(await tokenFor(kernel, 'ada@example.com'));
    expect(ada).toMatchObject({ _source: { name: 'ada@example.com', profileIds: ['default'] } });
    expect(await userOf(await tokenFor(kernel, 'ada@example.com'))).toMatchObject({ _id: ada._id });
    const guessed = { secret: 'guessed', name: 'ada@example.com' };
    const login = { controller: 'auth', action: 'login', strategy: 'app', body: guessed } as const;
    expect(await kernel.execute(login)).toMatchObject({ error: { id: 'auth.wrong_credentials' } });
  });

  it('are as the guide says', async () => {
    const [comment, ...example] = (await readFile(EXAMPLE, 'utf8')).split('\n');
    expect(comment).toMatch(/^\/\/ /);
    expect(await readFile(GUIDE, 'utf8')).toContain(example.join('\n'));
  });
});
