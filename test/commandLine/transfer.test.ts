import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { shippedPlugins } from '@millrace/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';
import { fillServer, login, PASSWORD, readServer } from './filledServer.js';

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('export and import', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-transfer-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Starts a server on a data directory that outlives it. */
  const withServer = async <T>(data: string, use: (server: TestKernel) => Promise<T>) => {
    const config = { server: { dataDir: join(folder, data) } };
    const started = await startTestKernel({ config, plugins: shippedPlugins() });
    try {
      return await use(started);
    } finally {
      await started.kernel.stop();
    }
  };
  const run = (data: string, args: readonly string[], stdin?: string | Buffer) =>
    runTestCommand(args, {
      folder,
      environment: { MILLRACE_SERVER_DATA_DIR: join(folder, data) },
      ...(stdin !== undefined && { stdin }),
    });

  it('CLI-9 moves documents, mappings, specifications and accounts into another server', async () => {
    const before = await withServer('a', async (server) => {
      await fillServer(server);
      return readServer(server);
    });
    expect(await run('a', ['export', 'all.ndjson'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run('a', ['export', 'all.ndjson'])).stderr).toContain('EEXIST');
    const imported = await run('b', ['import', 'all.ndjson', '--json']);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      documents: 1_203,
      refusedCount: 0,
      isComplete: true,
    });
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('.import'));
    await withServer('b', async (server) => {
      expect(await readServer(server)).toEqual(before);
      expect((await login(server, 'anna', PASSWORD)).status).toBe(200);
    });
  });

  it('CLI-10 leaves credentials out with --no-secrets', async () => {
    await withServer('a', fillServer);
    const { stdout } = await run('a', ['export', '--no-secrets']);
    const kinds = lines(stdout).flatMap(({ type, collection }) =>
      type === 'account' ? [collection] : [],
    );
    expect(new Set(kinds)).toEqual(new Set(['roles', 'profiles', 'users']));
    expect(stdout).not.toContain('argon2');
    expect(stdout).not.toContain('scrypt');
    const without = await run('a', ['export', '--no-accounts']);
    expect(lines(without.stdout).some(({ type }) => type === 'account')).toBe(false);
    const all = await run('a', ['export']);
    expect(all.stdout).toContain('"collection":"credentials"');
    // The key that signs tokens stays where it is.
    expect(all.stdout).not.toContain('"collection":"keys"');
    const imported = await run('b', ['import', '-'], stdout);
    expect(imported.code).toBe(0);
    await withServer('b', async (server) => {
      expect((await login(server, 'anna', PASSWORD)).status).toBe(401);
    });
  });

  it('CLI-11 goes on where an interrupted import has stopped', async () => {
    const before = await withServer('a', async (server) => {
      await fillServer(server);
      return readServer(server);
    });
    const text = (await run('a', ['export'])).stdout;
    const file = join(folder, 'all.ndjson');
    // A damaged line stops the import in the middle of a collection.
    const at = text.length / 2;
    const cut = text.indexOf('\n', at) + 1;
    const broken = `${text.slice(0, cut)}#${text.slice(cut + 1)}`;
    await writeFile(file, broken);
    const first = await run('b', ['import', 'all.ndjson']);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('is not valid JSON');
    await writeFile(file, text);
    const second = await run('b', ['import', 'all.ndjson', '--json']);
    expect(second.code).toBe(0);
    const { documents } = JSON.parse(second.stdout) as { documents: number };
    expect(documents).toBeGreaterThan(0);
    expect(documents).toBeLessThan(1_203);
    await withServer('b', async (server) => {
      expect(await readServer(server)).toEqual(before);
    });
  });

  it('reports an export that was cut off', async () => {
    await withServer('a', fillServer);
    await run('a', ['export', 'all.ndjson']);
    const file = join(folder, 'all.ndjson');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.lastIndexOf('{"type":"end"')));
    const { code, stdout } = await run('b', ['import', 'all.ndjson']);
    expect(code).toBe(1);
    expect(stdout).toContain('The export is incomplete');
    const newer = await run('c', ['import', '-'], '{"type":"export","format":9}\n');
    expect(newer.stderr).toContain('format 9: expected 1');
  });

  it('CLI-12 writes and reads CSV', async () => {
    const place = ['--index', 'shop', '--collection', 'lamps', '--format', 'csv'];
    await withServer('a', async (server) => {
      await server.ask('PUT', '/shop/lamps', {
        properties: {
          name: { type: 'text' },
          price: { type: 'double' },
          isNew: { type: 'boolean' },
          maker: { properties: { city: { type: 'keyword' } } },
        },
      });
      const lamps = [
        {
          name: 'a "quoted", one\r\nof two lines',
          price: 1.5,
          isNew: true,
          maker: { city: 'Ulm' },
        },
        { name: 'ünï', price: -2, tags: ['x', 'y'] },
      ];
      for (const [i, lamp] of lamps.entries())
        expect((await server.ask('PUT', `/shop/lamps/l${i}`, lamp)).status).toBe(200);
    });
    const { stdout, code } = await run('a', ['export', ...place]);
    expect(code).toBe(0);
    const [header, ...rows] = stdout.split('\r\n');
    expect(header).toBe('_id,name,price,isNew,maker.city,tags');
    expect(rows.join('\r\n')).toContain('l0,"a ""quoted"", one\r\nof two lines",1.5,true,Ulm,\r\n');
    expect(rows).toContain('l1,ünï,-2,,,"[""x"",""y""]"');
    await run('a', ['export', 'maps.ndjson', '--index', 'shop', '--collection', 'lamps']);

    await withServer('b', async (server) => {
      const properties = { price: { type: 'double' }, isNew: { type: 'boolean' } };
      await server.ask('PUT', '/shop', {});
      await server.ask('PUT', '/shop/lamps', { properties });
    });
    const imported = await run('b', ['import', '-', ...place], `\ufeff${stdout}`);
    expect(imported).toMatchObject({ code: 0, stdout: 'Imported 2 documents\n' });
    await withServer('b', async (server) => {
      const { body } = await server.ask('GET', '/shop/lamps/l0');
      expect(body?.['result']).toMatchObject({
        _source: {
          name: 'a "quoted", one\r\nof two lines',
          price: 1.5,
          isNew: true,
          maker: { city: 'Ulm' },
        },
      });
      const other = await server.ask('GET', '/shop/lamps/l1');
      expect(other.body?.['result']).toMatchObject({
        _source: { name: 'ünï', price: -2, tags: ['x', 'y'] },
      });
    });
  });

  it('CLI-12 counts rows that are refused, and names wrong usage', async () => {
    await withServer('a', async (server) => {
      await server.ask('PUT', '/shop/lamps', { properties: { price: { type: 'double' } } });
    });
    const place = ['--index', 'shop', '--collection', 'lamps', '--format', 'csv', '--json'];
    const csv = '_id,price\none,cheap\ntwo,2\n';
    const { code, stdout } = await run('a', ['import', '-', ...place], csv);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ documents: 1, refusedCount: 1 });
    expect(stdout).toContain('one: ');
    expect(await run('a', ['import', '-', '--format', 'csv'])).toMatchObject({ code: 2 });
    expect(await run('a', ['export', '--format', 'xml'])).toMatchObject({ code: 2 });
    expect(await run('a', ['export', '--collection', 'lamps'])).toMatchObject({ code: 2 });
  });

  it('CLI-13 exports from a running server what the user may read, and imports into one', async () => {
    const server = await startTestKernel({ plugins: shippedPlugins() });
    try {
      const chief = await fillServer(server);
      const anna = (await login(server, 'anna', PASSWORD)).jwt;
      const at = (token: string) => ({ folder, environment: { MILLRACE_TOKEN: token } });
      const args = ['export', '--url', server.url, '--index', 'library', '--collection', 'books'];
      const own = await runTestCommand(args, at(anna));
      expect(own).toMatchObject({ code: 0, stderr: '' });
      const documents = lines(own.stdout).filter(({ type }) => type === 'document');
      expect(documents).toHaveLength(600);
      expect(
        documents.every(({ _source }) => (_source as { owner: string }).owner === 'anna'),
      ).toBe(true);

      await runTestCommand(['export', 'all.ndjson', '--url', server.url], at(chief));
      const text = await readFile(join(folder, 'all.ndjson'), 'utf8');
      expect(lines(text).some(({ type }) => type === 'account')).toBe(false);
      expect(lines(text).at(-1)).toEqual({ type: 'end', documents: 1_203, accounts: 0 });
      const other = await startTestKernel({ plugins: shippedPlugins() });
      try {
        const imported = await runTestCommand(['import', 'all.ndjson', '--url', other.url], at(''));
        expect(imported).toMatchObject({ code: 0, stderr: '' });
        expect(imported.stdout).toContain('Imported 1203 documents');
        await writeFile(join(folder, 'accounts'), '{"type":"account","collection":"users"}\n');
        const refused = await runTestCommand(['import', 'accounts', '--url', other.url], at(''));
        expect(refused.stderr).toContain('stopped server only');
      } finally {
        await other.close();
      }
    } finally {
      await server.close();
    }
  });
});
