/*
 * The Python program of docs/guide/other-languages.md, with `websockets` from PyPI. It needs python3 with pip, and PyPI.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';
import { hasPython } from './hasPython.js';
import { startCommand, type RunningCommand } from './runCommand.js';

const GUIDE = new URL('../../docs/guide/other-languages.md', import.meta.url);

describe.runIf(hasPython('pip'))('the Python client of the guide', () => {
  let folder: string;
  let server: SecuredServer;
  let proxy: UnreliableProxy;
  const started: RunningCommand[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-python-'));
    const asked = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'websockets'];
    const installed = spawnSync('python3', asked, { encoding: 'utf8' });
    expect(installed.status, installed.stderr).toBe(0);
    const [, program = ''] = /```python\n(# follow[^`]+)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    await writeFile(join(folder, 'follow.py'), program);
    server = await startSecured({}, { plugins: [websocket({ port: 0 })] });
    const addresses = await server.started.kernel.start();
    const url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    proxy = new UnreliableProxy(new URL(url));
    await proxy.appear();
  });
  afterAll(async () => {
    for (const each of started) await each.stop();
    await proxy?.vanish();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function follow(username: string, password: string): RunningCommand {
    const url = proxy.url.replace('http', 'ws');
    const environment = {
      ...(process.env as Record<string, string>),
      PYTHONPATH: folder,
      MILLRACE_PASSWORD: password,
      // The pause after a failed attempt is a random part of this, in seconds.
      WEBSOCKETS_BACKOFF_INITIAL_DELAY: '1',
    };
    const line = `python3 follow.py ${url} library books ${username}`;
    const command = startCommand(line, { folder, environment });
    started.push(command);
    return command;
  }
  const write = async (id: string) => {
    await server.result('PUT', `/library/books/${id}?refresh`, { body: { title: id } });
  };

  it('logs in, reads, and receives each change once over a cut', async () => {
    await write('floss');
    const role = flatRole({ document: ['search'], realtime: ['subscribe'], auth: ['login'] });
    const { id, password } = await server.account(role);
    const command = follow(id, password);
    await command.waitFor(/read 1\n/);
    await write('walden');
    await command.waitFor(/now create walden\n/);
    await proxy.vanish();
    await write('emma');
    await write('walden');
    await proxy.appear();
    await command.waitFor(/missed update walden\n/);
    await write('jacob');
    await command.waitFor(/jacob\n/);
    expect(command.output().trim().split('\n')).toEqual([
      'read 1',
      'now create walden',
      'missed create emma',
      'missed update walden',
      'now create jacob',
    ]);
  });

  it('ends with the error of the server', async () => {
    const { id } = await server.account(flatRole({}));
    const command = follow(id, 'wrong');
    await expect(command.waitFor(/never/)).rejects.toThrow('auth.wrong_credentials');
  });
});
