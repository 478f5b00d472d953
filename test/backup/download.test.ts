/* The download of a backup: with a ticket, once, at the pace of the client. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unpackBackup } from '@millrace/backup';
import type { JsonObject } from '@millrace/kernel';
import { restoreBackup } from '@millrace/server';
import { openServer, PASSWORD, type LoginServer } from '../strategies/openServer.js';
import { freePort } from '../memory/startRedis.js';

describe('the download of a backup', () => {
  let server: LoginServer;
  let backup = '';
  let folder = '';

  const pathOf = async () => (await server.asAdmin('POST', `/_backups/${backup}/_download`))['path'] as string;
  const download = (path: string, options?: RequestInit) => fetch(`${server.url}${path}`, options);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-download-'));
    server = await openServer({ port: await freePort(), plugins: [] });
    await server.asAdmin('PUT', '/shop', {});
    await server.asAdmin('PUT', '/shop/things', {});
    await server.asAdmin('POST', '/shop/things/one/_create', { name: 'kept' });
    const made = await server.asAdmin('POST', '/_backup', {});
    backup = made['name'] as string;
    const isComplete = async () => {
      const { hits } = (await server.asAdmin('GET', '/_backups')) as { readonly hits: readonly JsonObject[] };
      return hits[0]?.['state'];
    };
    await vi.waitFor(async () => expect(await isComplete()).toBe('complete'), { timeout: 10_000 });
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is an archive that restores what the backup has', async () => {
    const answer = await download(await pathOf());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/gzip');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${backup}.tar.gz"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const source = join(folder, 'unpacked');
    mkdirSync(source);
    if (answer.body === null) throw new Error('no body');
    await pipeline(Readable.fromWeb(answer.body as never), createGunzip(), (chunks: AsyncIterable<Buffer>) =>
      unpackBackup(chunks, source),
    );
    const { manifest } = await restoreBackup({ source, dataDir: join(folder, 'restored') });
    expect(manifest.name).toBe(backup);
    expect(manifest.collections).toContainEqual(expect.objectContaining({ index: 'shop', documents: 1 }));
  });

  it('needs no token, and works once', async () => {
    const path = await pathOf();
    expect((await (await download(path)).arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    const again = await download(path);
    expect([again.status, ((await again.json()) as JsonObject)['error']]).toMatchObject([
      401,
      { id: 'auth.invalid_token' },
    ]);
    expect((await download('/_backups/_download/unknown')).status).toBe(401);
  });

  it('is for administrators, whatever roles allow, and for backups that exist', async () => {
    const all = { controllers: { '*': { actions: { '*': true } } } };
    await server.asAdmin('PUT', '/roles/everything', all);
    await server.asAdmin('PUT', '/profiles/everything', { policies: [{ roleId: 'everything' }] });
    await server.asAdmin('POST', '/users/eve/_create', { profileIds: ['everything'], password: PASSWORD });
    const { body } = await server.ask('POST', '/_login', { username: 'eve', password: PASSWORD });
    const { jwt } = body.result as { readonly jwt: string };
    const asEve = await server.ask('POST', `/_backups/${backup}/_download`, {}, { authorization: `Bearer ${jwt}` });
    expect(asEve.status).toBe(403);
    expect((await server.ask('POST', `/_backups/${backup}/_download`, {})).status).toBe(401);
    for (const name of ['2026-11-23T03-00-00-000Z', '..', '%2e%2e%2fdata'])
      await expect(server.asAdmin('POST', `/_backups/${encodeURIComponent(name)}/_download`)).rejects.toThrow('404');
  });

  it('is refused by other protocols, which have no files', async () => {
    const ticket = (await pathOf()).split('/').at(-1) ?? '';
    const answer = await server.kernel.execute<string, string>({
      controller: 'server',
      action: 'getBackupFile',
      ticket,
    });
    expect(answer).toMatchObject({ status: 400, error: { id: 'api.invalid_request' } });
  });
});
