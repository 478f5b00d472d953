import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserProgram } from '../types/UserProgram.js';

/** Node.js 20 has the global WebSocket behind a flag. */
const FLAGS = Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-websocket'] : [];

describe('README.md', () => {
  let server: TestKernel;
  let program: UserProgram;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket()] });
    program = await UserProgram.create();
  });
  afterAll(async () => {
    await program.remove();
    await server.close();
  });

  it('begins with its two commands', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const commands = [...readme.matchAll(/^ {4}(npm \w+)|^```sh\n(.+)/gm)].map(([, command]) => command);
    expect(commands.slice(0, 2)).toEqual(['npm start', 'npm test']);
  });

  it('has a program of ten lines that compiles and prints a list after each change', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, text = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
    const station = async (id: string, bikes: number) => {
      const response = await fetch(`${server.url}/city/stations/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: id, bikes }),
      });
      expect(response.status).toBe(200);
    };
    await station('Opera', 3);
    await station('Harbour', 4);
    await program.write(
      'list.ts',
      `${text.replace('http://127.0.0.1:7511', server.url).replace(/console\.log\((.*)\)\);$/m, 'console.log(JSON.stringify($1)));')}declare const console: { log(text: string): void };\n`,
    );
    expect(await program.compile()).toBe('');
    const child = spawn(process.execPath, [...FLAGS, program.path('built/list.js')]);
    const ended = once(child, 'exit');
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async () => JSON.parse(String((await lines.next()).value)) as unknown;
      expect(await next()).toEqual(['Opera', 'Harbour']);
      await station('Harbour', 1);
      expect(await next()).toEqual(['Harbour', 'Opera']);
    } finally {
      child.kill();
      await ended;
    }
  });
});
