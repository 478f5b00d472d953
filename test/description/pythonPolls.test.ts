/*
 * The long-polling program of docs/guide/other-languages.md, which needs python3 alone.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython } from '../packages/hasPython.js';
import { startCommand, type RunningCommand } from '../packages/runCommand.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

const GUIDE = new URL('../../docs/guide/other-languages.md', import.meta.url);

describe.runIf(hasPython())('the long-polling program of the guide', () => {
  let folder: string;
  let server: StartedKernel;
  const started: RunningCommand[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-python-'));
    const [, program = ''] = /```python\n(# copy_collection[^`]+)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    await writeFile(join(folder, 'copy_collection.py'), program);
    server = await startKernel();
  });
  afterAll(async () => {
    for (const each of started) await each.stop();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = () => {
    const line = `python3 copy_collection.py ${server.url} library books books.json`;
    const command = startCommand(line, { folder, environment: process.env as Record<string, string> });
    started.push(command);
    return command;
  }; // prettier-ignore
  const write = async (method: string, path: string, body?: object) => {
    expect((await server.ask(method, `/library/books/${path}`, body)).status).toBe(200);
  };

  const copy = async () => {
    const text = await readFile(join(folder, 'books.json'), 'utf8');
    return (JSON.parse(text) as { readonly documents: object }).documents;
  };

  it('continues after a restart, and reads again after a gap (POLL-1, POLL-2, POLL-8)', async () => {
    await write('PUT', 'floss', { title: 'The Mill on the Floss' });
    const first = start();
    await first.waitFor(/read 1\n/);
    await write('PUT', 'emma', { title: 'Emma' });
    await first.waitFor(/create emma\n/);
    // It stores the position after it has printed the change.
    await expect.poll(copy).toMatchObject({ emma: { title: 'Emma' } });
    await first.stop();

    await write('PUT', 'emma/_update', { year: 1815 });
    await write('DELETE', 'floss');
    const second = start();
    await second.waitFor(/delete floss\n/);
    expect(second.output()).toBe('update emma\ndelete floss\n');

    await write('DELETE', '_truncate');
    await second.waitFor(/gap wiped\nread 0\n/);
    await write('PUT', 'walden', { title: 'Walden' });
    await second.waitFor(/create walden\n/);
    await expect.poll(copy).toEqual({ walden: { title: 'Walden' } });
  });
});
