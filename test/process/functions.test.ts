import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { createClient } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runMillrace, type MillraceProcess } from './runMillrace.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Processes that load a compiler, on a busy machine.
const LONG_MS = 300_000;
const IMPORT =
  "import { action, cron, defineErrors, on, onWrite, required, strategy, text } from '@millrace/kernel';\n";

const GREETINGS = `${IMPORT}
interface Greeting { readonly greeting: string }

export const hello = action({ args: { name: required(text()) } }, async ({ args }, { call }) => {
  const body = { name: args.name };
  await call({ controller: 'document', action: 'create', index: 'app', collection: 'greetings', body });
  const greeting: Greeting = { greeting: \`Hello, \${args.name}!\` };
  return { ...greeting };
});
export const count = action({ access: 'public', routes: ['GET /_count'] }, (_, { callAsServer }) =>
  callAsServer({ controller: 'document', action: 'count', index: 'app', collection: 'greetings' }));
export const fails = action({}, () => {
  throw new Error('broken');
});
`;
const RULES = `${IMPORT}
import { LONGEST } from './_limits.ts';

const errors = defineErrors('greetings', {
  too_long: { status: 400, message: () => \`name: at most \${LONGEST} characters\` },
});
export const checked = onWrite('app/greetings', ({ after }, { log }) => {
  if (String(after?.name).length > LONGEST) throw errors.too_long({});
  return after === null ? undefined : { ...after, checked: true };
});
export const recorded = on('document.afterWrite', async ({ collection, id }, { callAsServer }) => {
  if (collection !== 'greetings') return;
  await callAsServer({ controller: 'document', action: 'createOrReplace', index: 'app', collection: 'seen', _id: id, body: {} });
});
export const everySecond = cron({ every: '1s' }, (_, { callAsServer }) =>
  callAsServer({ controller: 'document', action: 'createOrReplace', index: 'app', collection: 'runs', _id: 'last', body: {} }));
export const pin = strategy({
  verify: ({ pin }) => (pin === '1234' ? { userId: 'admin' } : null),
});
`;

describe('server functions', () => {
  let folder = '';
  let server: MillraceProcess | undefined;
  const make = async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-functions-')));
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, '@millrace'), { recursive: true });
    await symlink(join(root, 'packages/kernel'), join(modules, '@millrace/kernel'));
    await symlink(await realpath(join(root, 'node_modules/typescript')), join(modules, 'typescript'));
  }; // prettier-ignore
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, 'functions', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  };
  const start = async (args: readonly string[], port = 0) => {
    server = runMillrace(folder, args, { MILLRACE_HTTP_PORT: String(port) });
    return server.listening;
  };
  const stop = async () => {
    server?.signal('SIGTERM');
    await server?.ended;
    server = undefined;
  };
  const ask = async (url: string, request: string, body?: object, token?: string) => {
    const [method = '', path = ''] = request.split(' ');
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...authorization },
      ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as {
      readonly status: number;
      readonly result: Readonly<Record<string, unknown>>;
      readonly error: { readonly id: string; readonly message: string } | null;
    };
  };
  const run = async (...args: readonly string[]) => {
    const { ended, output } = runMillrace(folder, args);
    return { code: await ended, output: output() };
  };

  describe('of a running server', () => {
    let url = '';
    beforeAll(async () => {
      await make();
      await write({
        'greetings.ts': GREETINGS,
        'rules.ts': RULES,
        '_limits.ts': 'export const LONGEST: number = 10;\n',
        'greetings.test.ts': 'throw new Error("a test is no function file");\n',
        'lib/code.ts': 'throw new Error("a subfolder is left alone");\n',
      });
      url = await start([]);
    }, LONG_MS);
    afterAll(async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    }, LONG_MS);

    it('run over HTTP, with arguments in the body or the query string, and over WebSocket', async () => {
      const hello = 'POST /_functions/greetings/hello';
      expect((await ask(url, hello, { name: 'Ada' })).result).toEqual({ greeting: 'Hello, Ada!' });
      expect((await ask(url, `${hello}?name=Grace`)).result).toMatchObject({ greeting: 'Hello, Grace!' });
      expect((await ask(url, hello)).error).toMatchObject({ id: 'api.missing_argument' });
      expect((await ask(url, 'GET /_count')).result).toEqual({ count: 2 });
      const socket = new WebSocket(`${url.replace('http', 'ws')}/_ws`);
      await once(socket, 'open');
      socket.send(JSON.stringify({ controller: 'greetings', action: 'hello', name: 'Mary' }));
      const [data] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(data.toString())).toMatchObject({ status: 200, result: { greeting: 'Hello, Mary!' } });
      socket.close();
    });

    it('see every write: change it, refuse it, and act after it', async () => {
      const written = await ask(url, 'POST /app/greetings/x/_create', { name: 'Emmy' });
      expect(written.result).toMatchObject({ _source: { name: 'Emmy', checked: true } });
      const refused = await ask(url, 'POST /_functions/greetings/hello', { name: 'Wolfeschlegel' });
      expect(refused.error).toMatchObject({ id: 'greetings.too_long', message: 'name: at most 10 characters' });
      const bulk = { bulkData: [{ create: { _id: 'y' } }, { name: 'Wolfeschlegel' }] };
      expect((await ask(url, 'POST /app/greetings/_bulk', bulk)).error).toMatchObject({
        details: [{ create: { error: { id: 'greetings.too_long' } } }],
      });
      await expect.poll(() => ask(url, 'GET /app/seen/x').then(({ status }) => status)).toBe(200);
    });

    it('run by a schedule', async () => {
      await expect
        .poll(() => ask(url, 'GET /app/runs/last').then(({ status }) => status), { timeout: LONG_MS })
        .toBe(200);
    });

    it('functions that throw answer 500, and the log has the line of the source', async () => {
      expect((await ask(url, 'POST /_functions/greetings/fails')).error).toMatchObject({ id: 'core.internal' });
      const line = GREETINGS.split('\n').findIndex((each) => each.includes("'broken'")) + 1;
      await expect.poll(() => server?.output()).toContain(`functions/greetings.ts:${line}:`);
    });

    it('log users in, and are closed to those without the right, as actions of a plugin', async () => {
      await ask(url, 'POST /users/admin/_createFirstAdmin', { password: 'a long one 1234' });
      const hello = 'POST /_functions/greetings/hello';
      expect(await ask(url, hello, { name: 'Ada' })).toMatchObject({ status: 401 });
      expect((await ask(url, 'GET /_count')).status).toBe(200);
      expect((await ask(url, 'POST /_login/pin', { pin: '1' })).status).toBe(401);
      const { result } = await ask(url, 'POST /_login/pin', { pin: '1234' });
      expect((await ask(url, hello, { name: 'Ada' }, String(result['jwt']))).status).toBe(200);
    });
  });

  describe('that are refused', () => {
    beforeEach(make);
    afterEach(() => rm(folder, { recursive: true, force: true }), LONG_MS);

    const EXPECTED = 'expected what action, onWrite, on, cron or strategy of @millrace/kernel returns';
    it.each([
      ['a.ts', 'export const one = 1;\nexport const two = = 2;\n', '(functions/a.ts:2)'],
      ['a.js', 'export const one = 1;\nexport const two = = 2;\n', "Unexpected token '=' (functions/a.js:2)"],
      ['a.js', '\n\nnull.name;\n', "Cannot read properties of null (reading 'name') (functions/a.js:3)"],
      [
        'a.ts',
        `${IMPORT}\nexport const hello = action(() => 1);\n`,
        'expected action({ args, routes, … }, (input, context) => result) (functions/a.ts:3)',
      ],
      [
        'a.ts',
        `${IMPORT}\nexport const max = 3;\n`,
        `functions/a.ts:3: the export max is no server function: ${EXPECTED}`,
      ],
      [
        'a.ts',
        `${IMPORT}\nexport default action({}, () => 1);\n`,
        'functions/a.ts:3: it has a default export: expected a name',
      ],
      [
        'document.ts',
        `${IMPORT}\nexport const hello = action({}, () => 1);\n`,
        'functions/document.ts:3: the controller document belongs to the server',
      ],
      [
        'my.mail.ts',
        `${IMPORT}export const hello = action({}, () => 1);\n`,
        'functions/my.mail.ts:2: the file name "my.mail" can\'t be a controller',
      ],
      ['a.ts', `${IMPORT}\nexport const nightly = cron('0 25 * * *', () => 1);\n`, 'functions/a.ts:3: '],
      [
        'a.ts',
        `${IMPORT}export const seen = on('document.written', () => 1);\n`,
        'functions/a.ts:2: there is no event "document.written"',
      ],
      [
        'a.ts',
        `${IMPORT}export const list = action({ routes: ['GET /_now'] }, () => 1);\n`,
        'route GET /_now of a.list exists already',
      ],
      ['a.ts', "import { send } from 'absent-mail';\n", "functions/a.ts: Cannot find package 'absent-mail'"],
    ])(
      '%s: %j',
      async (name, content, message) => {
        await write({ [name]: content });
        const { code, output } = await run('config', 'check');
        expect(output).toContain(message);
        expect([code, output.trim().split('\n')]).toEqual([1, [expect.any(String)]]);
      },
      LONG_MS,
    );

    it(
      'CLI-18: doctor lists each file, and start names the first one',
      async () => {
        await write({
          'bad.js': `${IMPORT}export const max = 3;\n`,
          'good.js': `${IMPORT}export const hello = action({}, () => 1);\n`,
          'good.mjs': '',
        });
        const { code, output } = await run('doctor');
        expect(code).toBe(1);
        expect(output).toContain('ok      functions/good.js has hello (action)');
        expect(output).toContain('ERROR   functions/bad.js:2: the export max is no server function');
        expect(output).toContain('ERROR   functions/good.mjs: functions/good.js has the same name');
        const started = await run();
        expect(started.code).toBe(1);
        expect(started.output).toMatch(/^millrace: functions\/bad\.js:2: .*\(and 1 more of its files is refused\)/m);
      },
      LONG_MS,
    );

    it(
      'CLI-18: where the configuration says so: another folder, none, or one that is absent',
      async () => {
        await write({ 'bad.js': 'export const max = 3;\n' });
        expect((await run('config', 'check', '--functions', '')).code).toBe(0);
        await mkdir(join(folder, 'etc'));
        await writeFile(join(folder, 'etc/millrace.config.json'), '{}');
        expect((await run('config', 'check', '--config', 'etc/millrace.config.json')).code).toBe(0);
        await writeFile(join(folder, 'etc/millrace.config.json'), '{"functions": "../functions"}');
        const other = await run('config', 'check', '--config', 'etc/millrace.config.json');
        expect(other.output).toContain('functions/bad.js:1');
        const absent = await run('config', 'check', '--functions', './api');
        expect(absent.output).toContain(
          `Configuration functions (--functions): there is no folder ${join(folder, 'api')}`,
        );
      },
      LONG_MS,
    );
  });

  describe('millrace dev', () => {
    beforeEach(make);
    afterEach(async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    }, LONG_MS);

    it(
      'CLI-18: restarts with a change that works, keeps the last version for one that does not, and names the line',
      async () => {
        const at = (word: string, more = '') => ({
          'greetings.js': `${IMPORT}\nexport const hello = action({}, () => ({ word: '${word}' }));\n${more}`,
        });
        const port = await freePort();
        const url = await start(['dev'], port);
        const word = () =>
          ask(url, 'POST /_functions/greetings/hello').then(
            ({ result }) => result?.['word'],
            () => 'away',
          );
        expect(await word()).toBeUndefined();
        const client = createClient(url).with(realtime({ WebSocket }));
        const seen: string[] = [];
        const subscription = client.collection('app', 'notes').subscribe({});
        subscription.on('event', (event) => seen.push('id' in event ? String(event.id) : event.kind));
        await subscription.ready;
        // The folder is made while the server runs.
        await write(at('one'));
        await expect.poll(word, { timeout: LONG_MS }).toBe('one');
        await write(at('two', 'null.name;\n'));
        await expect
          .poll(() => server?.output(), { timeout: LONG_MS })
          .toContain('(functions/greetings.js:4) (the last version that worked keeps running)');
        expect(await word()).toBe('one');
        await write(at('three'));
        await expect.poll(word, { timeout: LONG_MS }).toBe('three');
        // Some editors write another file and rename it.
        await write({ 'greetings.new': at('four')['greetings.js'] });
        await rename(join(folder, 'functions/greetings.new'), join(folder, 'functions/greetings.js'));
        await expect.poll(word, { timeout: LONG_MS }).toBe('four');
        await write(at('five'));
        await expect.poll(word, { timeout: LONG_MS }).toBe('five');
        const imports = "import { WORD } from './lib/word.js';\n";
        await write({ 'lib/word.js': "export const WORD = 'six';\n" });
        await write({
          'greetings.js': `${imports}${IMPORT}export const hello = action({}, () => ({ word: WORD }));\n`,
        });
        await expect.poll(word, { timeout: LONG_MS }).toBe('six');
        await write({ 'lib/word.js': "export const WORD = 'seven';\n" });
        await expect.poll(word, { timeout: LONG_MS }).toBe('seven');
        await ask(url, 'POST /app/notes/n/_create', { a: 1 });
        await expect.poll(() => seen, { timeout: LONG_MS }).toContain('n');
        client.connection.close();
      },
      LONG_MS,
    );
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
