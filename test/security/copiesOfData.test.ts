/* What copies data whatever its caller may read: server.move, server.backup and server.getConfig. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { startKernel } from '../startKernel.js';
import { flatRole, startSecured, type SecuredServer } from './securedServer.js';

const COPIES = [
  ['POST', '/_move', { to: 'sqlite' }],
  ['GET', '/_move', undefined],
  ['DELETE', '/_move', undefined],
  ['POST', '/_backup', {}],
  ['POST', '/_backups/2026-11-23T03-00-00-000Z/_download', {}],
  ['GET', '/_getConfig', undefined],
  ['GET', '/_logs', undefined],
] as const;
const NODE = 'http://192.0.2.1:9200';

let server: SecuredServer;
beforeAll(async () => {
  const elasticsearch = { node: NODE.replace('//', '//elastic:se@cret@') };
  server = await startSecured({ storage: { elasticsearch } });
});
afterAll(() => server.close());

async function statuses(jwt: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const [method, path, body] of COPIES) {
    const options = body === undefined ? { jwt } : { jwt, body };
    found.push((await server.http(method, path, options)).status);
  }
  return found;
}

async function createKey(policies: readonly JsonObject[] | null): Promise<string> {
  const body = { name: 'copies', policies } as JsonObject;
  return (await server.result('POST', '/api-keys/_create', { body })).key as string;
}

describe('actions that copy data across the rights of their caller', () => {
  it('are refused to users who are no administrators, whatever their roles grant (SEC-34)', async () => {
    for (const role of [flatRole({ server: ['*'] }), flatRole({ '*': ['*'] })]) {
      const { jwt } = await server.account(role);
      expect(await statuses(jwt)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    }
  });

  it('are refused to API keys with policies, even of an administrator (SEC-34, KEY-5)', async () => {
    const limited = await createKey([{ roleId: 'admin' }]);
    expect(await statuses(limited)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    expect(await statuses(await createKey(null))).toEqual([412, 200, 409, 200, 404, 200, 412]);
    const apiKeyId = limited.slice('mr_'.length, 'mr_'.length + 8);
    const body = { controller: 'server', action: 'move', apiKeyId };
    const explained = await server.result('POST', `/users/${server.adminId}/_explain`, { body });
    const reason = 'reserved to administrators: no API key with policies is one';
    expect(explained).toEqual({ allowed: false, reason, decidedBy: [] });
  });
});

describe('server.move', () => {
  let bystander: Server;
  let connections = 0;
  beforeAll(async () => {
    bystander = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => bystander.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => bystander.close());

  const move = (node: string) => {
    const body = { to: 'elasticsearch', node, verifyOnly: true };
    return server.http('POST', '/_move', { body });
  };

  it('sends nothing to an address of the request, and does not show the configured login (MOVE-8)', async () => {
    const { port } = bystander.address() as AddressInfo;
    for (const node of [`http://127.0.0.1:${port}`, `${NODE},http://127.0.0.1:${port}`, 'x']) {
      const { status, error } = await move(node);
      expect([status, error.id]).toEqual([400, 'api.invalid_argument']);
      expect(error.message).toBe(
        `Argument "node" is invalid: expected the address of storage.elasticsearch.node in the configuration ("${NODE}"), got "${node}"`,
      );
    }
    expect((await server.result('GET', '/_move')).state).toBe('none');
    expect(connections).toBe(0);
  });

  it('goes to the configured address only, and needs one (MOVE-8)', async () => {
    const started = await startKernel();
    try {
      const { port } = bystander.address() as AddressInfo;
      const to = { to: 'elasticsearch' };
      const given = await started.ask('POST', '/_move', {
        ...to,
        node: `http://127.0.0.1:${port}`,
      });
      expect(given.body).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
      const none = await started.ask('POST', '/_move', to);
      expect(none.body).toMatchObject({ status: 412, error: { id: 'core.move_refused' } });
      expect(none.text).toContain('set storage.elasticsearch.node');
      expect(connections).toBe(0);
    } finally {
      await started.close();
    }
  });

  it('needs the address of moved data in the configuration (MOVE-7)', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-moved-'));
    try {
      const moved = { phase: 'moved', node: NODE, prefix: 'millrace', movedAt: 1 };
      await writeFile(join(dataDir, 'engine.json'), JSON.stringify(moved));
      await expect(startKernel({ server: { dataDir } })).rejects.toThrow(`says that the documents are at ${NODE}`);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
