// A Millrace server with the WebSocket plugin and one document; `request` is what reads it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { reportFootprint } from './websocketFootprint.mjs';

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const kernel = new Kernel({
  config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' } },
  plugins: [websocket({ port: 0 })],
});
const addresses = await kernel.start();
const addressOf = (name) => addresses.find(({ protocol }) => protocol === name);
const { port } = addressOf('websocket');
const place = { controller: 'document', index: 'bench', collection: 'docs', _id: 'one' };
const body = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`field${n}`, `value ${n} of this document`]));
const created = await kernel.execute({ ...place, action: 'create', body });
if (created.status !== 200) throw new Error(created.error.message);
process.once('SIGTERM', () => {
  void kernel.stop().then(() => {
    rmSync(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
});
reportFootprint();
const request = JSON.stringify({ ...place, action: 'get', requestId: 'bench-request' });
process.send({ port, httpUrl: addressOf('http').url, request });
