import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { websocket } from '@millrace/protocol-websocket';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

const PROGRAM = fileURLToPath(new URL('printEvents.mjs', import.meta.url));
const hasGlobal = Number(process.versions.node.split('.')[0]) >= 22;

describe('the WebSocket class of the client in Node.js', () => {
  let server: TestKernel;
  let proxy: UnreliableProxy;
  const programs: ChildProcessWithoutNullStreams[] = [];
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket()] });
    proxy = new UnreliableProxy(new URL(server.urlOf('websocket')));
    await proxy.appear();
  });
  afterEach(() => {
    for (const program of programs.splice(0)) program.kill();
  });
  afterAll(async () => {
    await proxy.vanish();
    await server.close();
  });

  const write = async (id: string) =>
    expect((await server.ask('PUT', `/city/stations/${id}`, { bikes: 1 })).status).toBe(200);

  function run(name: 'global' | 'ws', flags: readonly string[]) {
    const args = [...flags, PROGRAM, server.url, proxy.url.replace('http', 'ws'), name];
    const program = spawn(process.execPath, args);
    programs.push(program);
    let printed = '';
    const read = (text: string) => (printed += text);
    program.stdout.setEncoding('utf8').on('data', read);
    program.stderr.setEncoding('utf8').on('data', read);
    return { program, exited: once(program, 'exit'), lines: () => printed.trim().split(/\s*\n/) };
  }

  it.each([
    ['the global one', 'global', hasGlobal ? [] : ['--experimental-websocket']],
    ['that of ws, passed', 'ws', []],
  ] as const)('%s: events, a lost connection, the end of the program', async (_, name, flags) => {
    const { program, exited, lines } = run(name, flags);
    await expect.poll(lines, { timeout: 30_000 }).toContain('live');
    await write(`${name}-1`);
    await expect.poll(lines).toContain(`changed ${name}-1`);
    proxy.cut();
    await expect.poll(lines).toContain('resuming');
    await write(`${name}-2`);
    await expect.poll(lines, { timeout: 30_000 }).toContain(`changed ${name}-2`);
    await expect.poll(() => lines().filter((line) => line === 'live').length).toBe(2);
    program.stdin.end();
    expect((await exited)[0]).toBe(0);
    expect(lines().at(-1)).toBe('ended');
    expect(lines().filter((line) => line.startsWith('changed'))).toHaveLength(2);
  });

  it('none: an error that names the option', async () => {
    const { exited, lines } = run('global', hasGlobal ? ['--no-experimental-websocket'] : []);
    await expect
      .poll(lines, { timeout: 30_000 })
      .toContain('ended realtime needs the option `WebSocket`: pass that of the package ws');
    programs[0]?.stdin.end();
    expect((await exited)[0]).toBe(0);
  });
});
