/*
 * The program of docs/guide/never-miss-a-change.md with a replay in the mode `state`, which 10,000 missed changes lead to.
 * test/description/guides.test.ts runs it as the guide does.
 */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { websocket } from '@millrace/protocol-websocket';
import { startCommand, type RunningCommand } from '../packages/runCommand.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

const GUIDE = new URL('../../docs/guide/never-miss-a-change.md', import.meta.url);
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

describe('the program of the guide, whose missed changes are a state', () => {
  let folder: string;
  let server: StartedKernel;
  const started: RunningCommand[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-mirror-'));
    await symlink(MODULES, join(folder, 'node_modules'));
    server = await startKernel({ plugins: [websocket({ port: 0 })] });
    const [, program = ''] = /`mirror\.mjs`:\n\n```js\n([\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    const own = program.replace('127.0.0.1:7511', new URL(server.url).host).replace("'auto'", "'state'");
    expect(own).toContain("mode: 'state'");
    await writeFile(join(folder, 'mirror.mjs'), own);
  });
  afterAll(async () => {
    for (const each of started) await each.stop();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async () => {
    const environment = process.env as Record<string, string>;
    const command = startCommand('node mirror.mjs', { folder, environment });
    started.push(command);
    await command.waitFor(/live with/);
    await command.stop();
    return JSON.parse(await readFile(join(folder, 'mirror.json'), 'utf8')) as object;
  };
  const write = async (method: string, id: string, body?: object) => {
    expect((await server.ask(method, `/library/books/${id}`, body)).status).toBe(200);
  };

  it('has a document that was deleted and created again (PROTO-81, RESUME-12)', async () => {
    for (const year of [1, 2, 3]) await write('PUT', 'floss', { year });
    expect(await run()).toMatchObject({ books: { floss: { year: 3 } } });
    await write('DELETE', 'floss');
    await write('PUT', 'floss', { year: 4 });
    expect(await run()).toMatchObject({ books: { floss: { year: 4 } } });
  });
});
