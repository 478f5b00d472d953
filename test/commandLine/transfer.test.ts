import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { shippedPlugins } from '@millrace/server';
import type { JsonObject } from '@millrace/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';
import { fillServer, login, PASSWORD, readServer } from './filledServer.js';

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('export and import', () => {
  let folder = '';
  /** Data directory of a server that has been filled, and what clients see of it. */
  let filled = '';
  let before: JsonObject = {};
  beforeAll(async () => {
    filled = await mkdtemp(join(tmpdir(), 'millrace-filled-'));
    before = await withServerOn(filled, async (server) => {
      await fillServer(server);
      return readServer(server);
    });
  });
  afterAll(() => rm(filled, { recursive: true, force: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-transfer-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Makes the data directory `a` a copy of that of the filled server. */
  const copyFilled = () => cp(filled, join(folder, 'a'), { recursive: true });
  const withServer = <T>(data: string, use: (server: TestKernel) => Promise<T>) =>
    withServerOn(join(folder, data), use);
  /** Starts a server on a data directory that outlives it. */
  const withServerOn = async <T>(dataDir: string, use: (server: TestKernel) => Promise<T>) => {
    const config = { server: { dataDir } };
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
    await copyFilled();
    expect(await run('a', ['export', 'all.ndjson'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run('a', ['export', 'all.ndjson'])).stderr).toContain('exists already');
    expect(await readdir(folder)).not.toContain('all.ndjson.part');
    const imported = await run('b', ['import', 'all.ndjson', '--accounts', '--json']);
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
    await copyFilled();
    const { stdout } = await run('a', ['export', '--no-secrets']);
    const kinds = lines(stdout).flatMap(({ type, collection }) => (type === 'account' ? [collection] : []));
    expect(new Set(kinds)).toEqual(new Set(['roles', 'profiles', 'users']));
    expect(stdout).not.toContain('argon2');
    expect(stdout).not.toContain('scrypt');
    const without = await run('a', ['export', '--no-accounts']);
    expect(lines(without.stdout).some(({ type }) => type === 'account')).toBe(false);
    const all = await run('a', ['export']);
    expect(all.stdout).toContain('"collection":"credentials"');
    // The key that signs tokens stays where it is.
    expect(all.stdout).not.toContain('"collection":"keys"');
    const imported = await run('b', ['import', '-', '--accounts'], stdout);
    expect(imported.code).toBe(0);
    await withServer('b', async (server) => {
      expect((await login(server, 'anna', PASSWORD)).status).toBe(401);
    });
  });

  it('CLI-15 takes accounts of a file only with --accounts, and names those that it replaces', async () => {
    await copyFilled();
    await run('a', ['export', 'all.ndjson']);
    const account = (collection: string, _id: string, _source: object) =>
      `${JSON.stringify({ type: 'account', collection, _id, _source })}\n`;
    const file =
      '{"type":"export","format":1}\n{"type":"collection","index":"i","collection":"c"}\n' +
      '{"type":"document","_id":"d","_source":{}}\n' +
      account('users', 'anna', { profileIds: ['admin'] }) +
      account('users', 'mallory', { profileIds: ['admin'] }) +
      '{"type":"end","documents":1,"accounts":2}\n';
    const plain = await run('a', ['import', '-'], file);
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).toBe(
      'Imported 1 documents and 0 account records\n2 account records were left out: --accounts imports them\n',
    );
    await withServer('a', async (server) => {
      expect((await login(server, 'anna', PASSWORD)).status).toBe(200);
    });
    const taken = await run('a', ['import', '-', '--accounts', '--json'], file);
    expect(JSON.parse(taken.stdout)).toMatchObject({
      accounts: 2,
      accountsLeftOut: 0,
      replaced: ['users/anna'],
    });
  });

  it('CLI-11 goes on where an interrupted import has stopped', async () => {
    await copyFilled();
    const text = (await run('a', ['export'])).stdout;
    const file = join(folder, 'all.ndjson');
    // A damaged line stops the import in the middle of a collection.
    const at = text.length / 2;
    const cut = text.indexOf('\n', at) + 1;
    const broken = `${text.slice(0, cut)}#${text.slice(cut + 1)}`;
    await writeFile(file, broken);
    const first = await run('b', ['import', 'all.ndjson', '--accounts']);
    expect(first.code).toBe(1);
    const line = text.slice(0, cut).split('\n').length;
    expect(first.stderr).toContain(`Line ${line} is not valid JSON`);
    expect((await run('b', ['import', 'all.ndjson', '--accounts'])).stderr).toContain(`Line ${line} is not`);
    await writeFile(file, text);
    const second = await run('b', ['import', 'all.ndjson', '--accounts', '--json']);
    expect(second.code).toBe(0);
    const { documents } = JSON.parse(second.stdout) as { documents: number };
    expect(documents).toBeGreaterThan(0);
    expect(documents).toBeLessThan(1_203);
    await withServer('b', async (server) => {
      expect(await readServer(server)).toEqual(before);
    });
  });

  it('CLI-11 begins again where the target has lost what was imported, or the file is another export', async () => {
    await copyFilled();
    const text = (await run('a', ['export'])).stdout;
    const file = join(folder, 'all.ndjson');
    const cut = text.indexOf('\n', text.length / 2) + 1;
    const broken = `${text.slice(0, cut)}#${text.slice(cut + 1)}`;
    const importBoth = async (second: string, between: () => Promise<unknown>) => {
      await rm(join(folder, 'b'), { recursive: true, force: true });
      await writeFile(file, broken);
      expect((await run('b', ['import', 'all.ndjson', '--accounts'])).code).toBe(1);
      await between();
      await writeFile(file, second);
      return JSON.parse((await run('b', ['import', 'all.ndjson', '--accounts', '--json'])).stdout) as unknown;
    };
    const removeTarget = () => rm(join(folder, 'b'), { recursive: true });
    expect(await importBoth(text, removeTarget)).toMatchObject({ documents: 1_203 });
    const later = text.replace(/"at":"..../, '"at":"2999');
    expect(later.length).toBe(text.length);
    expect(await importBoth(later, async () => undefined)).toMatchObject({ documents: 1_203 });
  });

  it('reports an export that was cut off', async () => {
    await copyFilled();
    await run('a', ['export', 'all.ndjson']);
    const file = join(folder, 'all.ndjson');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.lastIndexOf('{"type":"end"')));
    const { code, stdout } = await run('b', ['import', 'all.ndjson', '--accounts']);
    expect(code).toBe(1);
    expect(stdout).toContain('The export is incomplete');
    const newer = await run('c', ['import', '-'], '{"type":"export","format":9}\n');
    expect(newer.stderr).toContain('format 9 and this version reads format 1: use version');
  });

  it('CLI-9 takes a list of documents for no export', async () => {
    const { code, stdout } = await run('b', ['import', '-'], '{"_id": "walden", "title": "Walden"}\n');
    expect(code).toBe(1);
    expect(stdout).toContain('The export is incomplete');
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
    expect(stdout).toContain('line 2, \\"one\\": The document does not fit the mapping');
    expect(await run('a', ['import', '-', '--format', 'csv'])).toMatchObject({ code: 2 });
    expect(await run('a', ['export', '--format', 'xml'])).toMatchObject({ code: 2 });
    expect(await run('a', ['export', '--collection', 'lamps'])).toMatchObject({ code: 2 });
  });

  it('CLI-12 names the lines that can not be read, and goes on', async () => {
    await withServer('a', async (server) => {
      await server.ask('PUT', '/shop', {});
      await server.ask('PUT', '/shop/lamps', { properties: { price: { type: 'double' } } });
    });
    const place = ['--index', 'shop', '--collection', 'lamps', '--format', 'csv', '--json'];
    const importCsv = async (csv: string | Buffer) => {
      const { stdout } = await run('a', ['import', '-', ...place], csv);
      return JSON.parse(stdout) as { documents: number; refused: string[]; error?: { message: string } };
    };
    const { documents, refused } = await importCsv(
      '_id,price,note\na,1,"two\nlines"\nb,2\n\nc,3,x,y\nd,4,x"y\ne,cheap,\nf,5,"open\ng,6,\n',
    );
    expect(documents).toBe(1);
    expect(refused).toEqual([
      expect.stringContaining('line 4: Invalid Record Length: columns length is 3, got 2'),
      expect.stringContaining('line 6: Invalid Record Length: columns length is 3, got 4'),
      expect.stringContaining('line 7, note: Invalid Opening Quote'),
      expect.stringMatching(/line \d+, note: Quote Not Closed.* \(it begins after line 8\)/),
      expect.stringMatching(/line 8, "e": The document does not fit the mapping: .*"price"/),
    ]);
    const wrong = async (csv: string | Buffer) => (await importCsv(csv)).error?.message;
    expect(await wrong('_id,a,a\n1,2,3\n')).toContain('line 1: the column "a" is there twice');
    expect(await wrong('_id;a\n1;2\n')).toContain('expected columns separated by commas');
    expect(await wrong(Buffer.from('_id,a\n1,caf\xe9\n', 'latin1'))).toContain('not UTF-8');
  });

  it('CLI-12 keeps values of all types in CSV', async () => {
    const properties = {
      title: { type: 'text' },
      tag: { type: 'keyword' },
      at: { type: 'date' },
      deep: { properties: { er: { type: 'integer' } } },
      lines: { type: 'nested', properties: { sku: { type: 'keyword' } } },
      place: { type: 'geo_point' },
    };
    const sources = [
      { title: ['one', 'two'], tag: '[1]', at: 1_700_000_000_000, deep: { er: 7 } },
      { title: '{"a": 1}', tag: '007', at: '2020', lines: [{ sku: 'a,b' }, { sku: '"' }] },
      { title: '=1+1 \u2028 🙂', tag: ['"'], at: '2026-11-23', place: { lat: 1, lon: 2 } },
    ];
    const open = async (server: TestKernel) => {
      await server.ask('PUT', '/shop', {});
      await server.ask('PUT', '/shop/lamps', { properties });
    };
    await withServer('a', async (server) => {
      await open(server);
      for (const [i, source] of sources.entries())
        expect((await server.ask('PUT', `/shop/lamps/l${i}`, source)).status).toBe(200);
    });
    await withServer('b', open);
    const place = ['--index', 'shop', '--collection', 'lamps', '--format', 'csv'];
    const { stdout } = await run('a', ['export', ...place]);
    expect((await run('b', ['import', '-', ...place], stdout)).code).toBe(0);
    await withServer('b', async (server) => {
      for (const [i, source] of sources.entries()) {
        const { body } = await server.ask('GET', `/shop/lamps/l${i}`);
        const { _meta: _, ...read } = (body?.['result'] as { _source: object & { _meta: object } })._source;
        // A string that reads as a list comes back as a list of one.
        expect(read).toEqual(source.tag === '[1]' ? { ...source, tag: ['[1]'] } : source);
      }
    });
  });

  it('waits where a rate limit of the server refuses a request', async () => {
    const limits = { anonymous: { perSecond: 400, burst: 600 } };
    const server = await startTestKernel({ config: { limits }, plugins: shippedPlugins() });
    try {
      const rows = Array.from({ length: 1_500 }, (_, i) => `r${i},${i}`).join('\n');
      await server.kernel.execute({ controller: 'index', action: 'create', index: 'shop' });
      await server.kernel.execute({ controller: 'collection', action: 'create', index: 'shop', collection: 'lamps' });
      const place = ['--index', 'shop', '--collection', 'lamps', '--format', 'csv'];
      const args = ['import', '-', ...place, '--url', server.url];
      const { stdout } = await runTestCommand(args, { folder, stdin: `_id,n\n${rows}\n` });
      expect(stdout).toBe('Imported 1500 documents\n');
    } finally {
      await server.close();
    }
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
      expect(documents.every(({ _source }) => (_source as { owner: string }).owner === 'anna')).toBe(true);

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
        const refused = await runTestCommand(['import', 'accounts', '--accounts', '--url', other.url], at(''));
        expect(refused.stderr).toContain('stopped server only');
      } finally {
        await other.close();
      }
    } finally {
      await server.close();
    }
  });
});
