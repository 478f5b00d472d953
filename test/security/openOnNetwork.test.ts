/* An open server and the network (SEC-3). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { definePlugin, silentLogger, type JsonObject } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { inTemporaryFolder, runMillrace } from '../process/runMillrace.js';

const ANY = '0.0.0.0';

describe('a server that is open', () => {
  let dataDir = '';
  const kernels: Kernel[] = [];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-network-'));
  });
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = async (config: JsonObject) => {
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 }), mqtt({ port: 0 })];
    const http = { port: 0, ...(config['http'] as JsonObject | undefined) };
    const all = { ...config, http, server: { dataDir } };
    const kernel = new Kernel({ config: all, plugins, logger: silentLogger });
    kernels.push(kernel);
    await kernel.start();
    return kernel;
  };

  it.each(['http', 'websocket', 'fallback', 'mqtt'])(
    'does not start where %s.host is not loopback',
    async (protocol) => {
      const message = await start({ [protocol]: { host: ANY } }).catch(String);
      expect(message).toContain(`${protocol}.host`);
      expect(message).toContain('create the first administrator');
      expect(message).toContain('security.allowOpenOnNetwork');
      expect(message).not.toContain('\n');
    },
  );

  it.each(['127.0.0.1', 'localhost', '127.0.0.9'])('starts on %s', async (host) => {
    await start({ http: { host } });
  });

  it('starts where the port is not opened, or the configuration says that it may', async () => {
    await start({ websocket: { host: ANY, listen: false } });
    await kernels.pop()?.stop();
    await start({ http: { host: ANY }, security: { allowOpenOnNetwork: true } });
  });

  it('starts anywhere once it has an administrator, or is closed from the start', async () => {
    await start({ http: { host: ANY }, security: { openUntilFirstAdmin: false } });
    await kernels.pop()?.stop();
    const kernel = await start({});
    const made = await kernel.execute({
      controller: 'security',
      action: 'createFirstAdmin',
      body: { _id: 'root', password: 'A-long-one-of-mine' },
    });
    expect(made.status).toBe(200);
    await kernels.pop()?.stop();
    await start({ http: { host: ANY }, mqtt: { host: '::' } });
  });

  it('holds the ports of plugins to it', async () => {
    let isStarted = false;
    const lines = definePlugin({
      name: 'protocol-lines',
      kernel: '^0.1.0',
      config: { lines: { host: { doc: 'Address', format: String, default: ANY } } },
      setup: (host) =>
        host.protocol({
          name: 'lines',
          start: async () => {
            isStarted = true;
            return null;
          },
          stop: async () => undefined,
        }),
    });
    const config = { http: { port: 0 }, server: { dataDir } };
    const kernel = new Kernel({ config, plugins: [lines], logger: silentLogger });
    await expect(kernel.start()).rejects.toThrow('lines.host');
    expect(isStarted).toBe(false);
  });

  it('ends the process with one line', async () => {
    await inTemporaryFolder(async (folder) => {
      const server = runMillrace(folder, ['--http.host', ANY, '--log.level', 'error']);
      const outcome = await Promise.race([server.ended, server.listening]);
      server.signal('SIGKILL');
      expect(outcome).toBe(1);
      expect(server.output().trim().split('\n')).toEqual([
        expect.stringMatching(/^millrace: .*http\.host.*security\.allowOpenOnNetwork/),
      ]);
    });
  });
});
