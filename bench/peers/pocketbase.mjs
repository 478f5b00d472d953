import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOGIN = ['admin@example.com', 'a long password'];
const KINDS = { amount: 'number', quantity: 'number', level: 'number', created_at: 'date' };
const TEXTS = ['status', 'country', 'customer', 'session', 'title'];

/** PocketBase as a separate process with the collection `documents`, public, with indexes of two fields. */
export async function openPocketbase(binary) {
  const folder = mkdtempSync(join(tmpdir(), 'pocketbase-'));
  const port = await freePort();
  execFileSync(binary, ['superuser', 'upsert', ...LOGIN, '--dir', join(folder, 'data')], {
    stdio: 'ignore',
  });
  const args = ['serve', '--http', `127.0.0.1:${port}`, '--dir', join(folder, 'data')];
  const child = spawn(binary, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path, body, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: token };
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  await untilOpen(url);
  const [identity, password] = LOGIN;
  const path = '/api/collections/_superusers/auth-with-password';
  const { token } = await ask(path, { identity, password });
  const fields = [
    ...TEXTS.map((name) => ({ name, type: 'text' })),
    ...Object.entries(KINDS).map(([name, type]) => ({ name, type })),
  ];
  const rules = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };
  const indexes = ['status', 'quantity'].map((field) => `CREATE INDEX idx_${field} ON documents (${field})`);
  await ask('/api/collections', { name: 'documents', type: 'base', fields, indexes, ...rules }, token);
  return {
    pid: child.pid,
    port,
    close: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOpen(url) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isOpen = await fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('PocketBase did not start');
}
