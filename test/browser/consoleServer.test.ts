/*
 * The console's screens of the memory store, the server and its backups, history, realtime and plugins, in a real Chromium on a
 * server in this process. With MILLRACE_TEST_ELASTICSEARCH it runs on Elasticsearch and Redis as well.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '@millrace/auth-local';
import { adminConsole } from '@millrace/console';
import { createClient } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';
import { definePlugin, silentLogger, type JsonObject } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BIN } from '../process/runMillrace.js';
import { NODE, removeIndexes } from '../storage/openElasticsearch.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';
import { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';
import { CONSOLE_ENGINES } from './openConsoleEngines.js';

const PASSWORD = 'correct horse battery';
const HOSTILE = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;
const stations = { index: 'city', collection: 'stations' };

/** A plugin whose screen counts stations, and tries to get what it must not have. */
function shop(folder: string) {
  return definePlugin({
    name: 'shop',
    kernel: '^0.1.0',
    setup(host) {
      const [loud, quiet] = [join(folder, 'shop'), join(folder, 'quiet')];
      for (const each of [loud, quiet]) mkdirSync(each);
      writeFileSync(join(loud, 'index.html'), SHOP_PAGE);
      writeFileSync(join(loud, 'shop.js'), SHOP_SCRIPT);
      writeFileSync(join(quiet, 'index.html'), QUIET_PAGE);
      host.files({ path: '/_shop', folder: loud, screen: { title: 'Shop', actions: ['document.count'] } });
      host.files({ path: '/_quiet', folder: quiet, screen: { title: 'Quiet', actions: [] } });
    },
  });
}
const SHOP_PAGE = '<!doctype html><title>Shop</title><script src="shop.js"></script><h1>Shop</h1><ul></ul>';
const QUIET_PAGE = '<!doctype html><html lang="en"><title>Quiet</title><h1>Nothing to see</h1></html>';
const SHOP_SCRIPT = `
const show = (name, value) => {
  const item = document.createElement('li');
  item.textContent = name + ': ' + JSON.stringify(value);
  document.querySelector('ul').append(item);
};
const reach = (name, get) => { try { show(name, String(get())); } catch (error) { show(name, error.name); } };
addEventListener('message', async ({ data, ports: [port] }) => {
  const answers = new Map();
  port.onmessage = ({ data }) => answers.get(data.id)?.(data);
  const query = (id, request) => new Promise((resolve) => { answers.set(id, resolve); port.postMessage({ id, request }); });
  const target = { index: 'city', collection: 'stations' };
  show('message', data);
  show('count', (await query(1, { controller: 'document', action: 'count', ...target })).result.count >= 0);
  show('jwt', (await query(2, { controller: 'document', action: 'count', ...target, jwt: 'broken' })).result.count >= 0);
  show('token', (await query(3, { controller: 'auth', action: 'refreshToken' })).error.id);
  show('ticket', (await query(4, { controller: 'auth', action: 'createTicket' })).error.id);
  show('users', (await query(5, { controller: 'security', action: 'searchUsers' })).error.id);
  show('refused', (await query(6, { controller: 'document', action: 'count', index: 'NO', collection: 'x' })).error.status);
  reach('parent', () => parent.document.title);
  reach('cookie', () => document.cookie);
  reach('storage', () => localStorage.length);
  reach('top', () => top.location.href);
  show('network', await fetch('/_serverInfo').then(() => 'reached', (error) => error.name));
  show('origin', self.origin);
  show('done', true);
});`;

describe.skipIf(!hasChromium()).each(CONSOLE_ENGINES)('the console of a server, %s', (engine) => {
  const isEmbedded = engine === 'embedded';
  let server: ConsoleServer;
  let url = '';
  let admin: ConsolePage;

  const run: ConsoleServer['run'] = (action, fields) => server.run(action, fields);
  const open: ConsoleServer['open'] = (options) => server.open(options);

  beforeAll(async () => {
    server = await ConsoleServer.start({ engine, plugins: (dataDir) => [shop(dataDir)] });
    ({ url } = server);
    await run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD }, reset: true });
    await run('index.create', { index: 'city' });
    await run('collection.create', {
      ...stations,
      body: { properties: { name: { type: 'text' }, bikes: { type: 'integer' }, opened: { type: 'date' } } },
    });
    admin = await open();
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(() => server?.stop());

  describe('the memory store', () => {
    it('shows an empty store what to do next, and creates a key', async () => {
      const { page } = admin;
      await admin.show('memory');
      await page.getByText('No keys yet').waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Key', { exact: true }).fill('user:1');
      await page.getByLabel('Type').selectOption('hash');
      await page.getByLabel('Field').fill('name');
      await page.getByLabel('Value').fill('Ada');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { name: 'user:1' }).waitFor();
      await page.getByRole('cell', { name: 'Ada' }).waitFor();
      expect(await run('ms.hgetall', { _id: 'user:1' })).toEqual({ name: 'Ada' });
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Key', { exact: true }).fill('user:1');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('The key user:1 exists').waitFor();
      await page.keyboard.press('Escape');
    });

    it('lists the keys that match a pattern', async () => {
      const { page } = admin;
      await run('ms.mset', { body: { values: { 'visit:1': 'a', 'visit:2': 'b', other: 'c' } } });
      await admin.show('memory');
      await page.getByLabel('Pattern of keys').fill('visit:*');
      await page.keyboard.press('Enter');
      await page.getByText('2 of 4 keys').waitFor();
      const keys = page.getByRole('navigation', { name: 'Keys that match' }).getByRole('link');
      expect(await keys.allTextContents()).toEqual(['visit:1', 'visit:2']);
      await page.getByLabel('Pattern of keys').fill('nothing*');
      await page.keyboard.press('Enter');
      await page.getByText('No key matches').waitFor();
    });

    it('edits a string and keeps its expiry, which can be set and removed', async () => {
      const { page } = admin;
      await run('ms.set', { _id: 'visit:1', body: { value: 'old' } });
      await admin.show('memory/visit:1');
      await page.getByLabel('Seconds until the key is deleted').fill('5000');
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await page.getByText('The key is deleted').waitFor();
      await page.getByRole('textbox', { name: 'Value' }).fill('new');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await run('ms.get', { _id: 'visit:1' })).toBe('new');
      expect(Number(await run('ms.ttl', { _id: 'visit:1' }))).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByText('The key stays until it is deleted').waitFor();
      expect(await run('ms.ttl', { _id: 'visit:1' })).toBe(-1);
    });

    it('shows long values in parts, and bytes that are not text without an editor', async () => {
      const { page } = admin;
      await run('ms.set', { _id: 'long', body: { value: `${'a'.repeat(100_000)}${'b'.repeat(50)}` } });
      await run('ms.setbit', { _id: 'bytes', body: { offset: 0, value: '1' } });
      await admin.show('memory/long');
      await page.getByText('too long to be edited here').waitFor();
      await page.getByRole('button', { name: 'Next ›' }).click();
      await expect.poll(() => page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('b'.repeat(50));
      await admin.show('memory/bytes');
      await page.getByText('bytes that are not text').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    });

    it('edits lists, sets and sorted sets, and shows places', async () => {
      const { page } = admin;
      await run('ms.rpush', { _id: 'queue', body: { values: Array.from({ length: 250 }, (_, at) => `job ${at}`) } });
      await admin.show('memory/queue');
      await page.getByText('1–100 of 250').waitFor();
      await page.getByRole('button', { name: 'Next ›' }).click();
      await page.getByText('101–200 of 250').waitFor();
      await page.getByRole('button', { name: 'Edit 100', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Value').fill('changed');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'changed' }).waitFor();
      expect(await run('ms.lindex', { _id: 'queue', idx: 100 })).toBe('changed');
      await page.getByRole('button', { name: 'Remove 101', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('101–200 of 249').waitFor();

      await run('ms.geoadd', { _id: 'places', body: { longitude: 13.361389, latitude: 38.115556, name: 'Palermo' } });
      await admin.show('memory/places');
      await page.getByLabel('Scores as positions').check();
      await page.getByText('38.11556, 13.36139').waitFor();
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('dialog').getByLabel('Member').fill('nowhere');
      await page.getByRole('dialog').getByLabel('Score').fill('none');
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByRole('dialog').getByLabel('Score').fill('7');
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
      await page.getByRole('cell', { name: 'nowhere', exact: true }).waitFor();
      expect(await run('ms.zscore', { _id: 'places', member: 'nowhere' })).toBe('7');

      await run('ms.sadd', { _id: 'tags', body: { members: ['a'] } });
      await admin.show('memory/tags');
      await page.getByRole('button', { name: 'Edit a', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Member').fill('b');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'b', exact: true }).waitFor();
      expect(await run('ms.smembers', { _id: 'tags' })).toEqual(['b']);
    });

    it('deletes a key once its name is typed', async () => {
      const { page } = admin;
      await admin.show('memory/tags');
      await page.getByRole('button', { name: 'Delete…' }).click();
      const button = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
      expect(await button.isDisabled()).toBe(true);
      await page.getByRole('dialog').getByRole('textbox').fill('tags');
      await button.click();
      await page.getByText('Choose a key').waitFor();
      expect(await run('ms.exists', { _id: 'tags' })).toBe(0);
      await admin.show('memory/tags');
      await page.getByText('There is no such key').waitFor();
    });

    it('runs any command of its command line', async () => {
      const { page } = admin;
      await admin.show('memory?tab=commands');
      const answers = page.getByLabel('Answers, the newest first').getByRole('listitem');
      const type = async (line: string) => {
        await page.getByLabel('Command', { exact: true }).fill(line);
        await page.keyboard.press('Enter');
        await answers.first().getByText(line, { exact: true }).waitFor();
        return answers.first().locator('pre').textContent();
      };
      expect(await type(`set greeting "hello you" ex=600`)).toBe('"OK"');
      expect(await type('get greeting')).toBe('"hello you"');
      expect(await type('rpush numbers 1 2 3')).toBe('3');
      expect(await type('hset user:2 name Bob')).toBe('1');
      expect(await type('nonsense')).toMatch(/There is no command nonsense/);
      expect(await type('incr greeting')).toMatch(/not an integer/);
      await page.keyboard.press('ArrowUp');
      expect(await page.getByLabel('Command', { exact: true }).inputValue()).toBe('incr greeting');
      await page.getByLabel('Command', { exact: true }).fill('flushdb');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Delete all keys?' }).waitFor();
      await page.keyboard.press('Escape');
    });

    it('shows hostile keys and values as text', async () => {
      const { page } = admin;
      await run('ms.hset', { _id: HOSTILE, body: { field: HOSTILE, value: HOSTILE } });
      await admin.show('memory');
      await page.getByRole('button', { name: 'List the keys' }).click();
      await page.getByRole('link', { name: HOSTILE }).click();
      await page.getByRole('cell', { name: HOSTILE }).first().waitFor();
      expect(await page.evaluate('window.broken')).toBeUndefined();
      expect(await page.locator('#console img, #console script').count()).toBe(0);
    });

    it('says what is missing where the user may not read it', async () => {
      await run('security.createRole', {
        _id: 'none',
        body: { controllers: { auth: { actions: { '*': true } }, index: { actions: { list: true } } } },
      });
      await run('security.createProfile', {
        _id: 'none',
        body: { policies: [{ roleId: 'none' }, { roleId: 'default' }] },
      });
      await run('security.createUser', { _id: 'eve', body: { profileIds: ['none'], password: PASSWORD } });
      const eve = await open();
      await eve.signIn('eve', PASSWORD);
      await eve.show('memory');
      await eve.page.locator('[data-state="no-right"]').waitFor();
      await eve.context.close();
    });
  });

  describe.runIf(isEmbedded)('backups', () => {
    it('makes a verified backup, and restores one collection of it', async () => {
      const { page } = admin;
      await run('document.createOrReplace', { ...stations, _id: 's-1', body: { name: 'Mill Lane', bikes: 4 } });
      await admin.show('server/backups');
      await page.getByText('No backups yet').waitFor();
      await page.getByText('No schedule').waitFor();
      await page.getByLabel('Note').fill(HOSTILE);
      await page.getByRole('button', { name: 'Make a backup' }).click();
      await page.getByText('verified', { exact: true }).waitFor();
      await page.getByRole('cell', { name: HOSTILE }).waitFor();
      expect((await run<{ hits: JsonObject[] }>('server.backups')).hits).toMatchObject([
        { state: 'complete', note: HOSTILE },
      ]);
      const [archive] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).press('Enter'),
      ]);
      expect(archive.suggestedFilename()).toMatch(/^\d{4}-[\dTZ-]+\.tar\.gz$/);
      const names = execFileSync('tar', ['-tzf', await archive.path()])
        .toString()
        .split('\n');
      expect(names).toContain('manifest.json');
      await page.getByRole('button', { name: 'Restore a collection' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore a collection' });
      await dialog.getByLabel('Index').fill('city');
      await dialog.getByLabel('Collection in the backup').fill('stations');
      await dialog.getByLabel('Name of the new collection').fill('stations');
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Name of the new collection').fill('restored');
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByText('1 documents restored into').waitFor();
      await page.keyboard.press('Escape');
      expect(await run('document.count', { index: 'city', collection: 'restored' })).toEqual({ count: 1 });
      await run('collection.delete', { index: 'city', collection: 'restored' });
    });

    it('gives the commands that check and restore a backup, and a downloaded one', async () => {
      const { page } = admin;
      const { hits } = await run<{ hits: readonly { readonly name: string }[] }>('server.backups');
      const [{ name = '' } = {}] = hits;
      await admin.show('server/backups');
      const card = page.getByRole('region', { name: 'Restore everything' });
      const command = (title: string) => card.locator('div', { hasText: title }).locator('code').last().textContent();
      expect(await command('Check it')).toMatch(/^npx millrace restore \S+\/backups --dataDir \.\/restored --dryRun$/);
      await card.getByLabel('Backup to restore').selectOption(name);
      const folder = await mkdtemp(join(tmpdir(), 'millrace-console-restore-'));
      const runs = async (title: string) => {
        const line = (await command(title))?.replace('npx millrace', `"${process.execPath}" "${BIN}"`) ?? '';
        return execFileSync('sh', ['-c', line], { cwd: folder }).toString();
      };
      try {
        expect(await runs('Check it')).toContain(`"name": "${name}"`);
        expect(await runs('Restore it')).toContain(`Backup ${name} is restored`);
        expect(await command('Start a server on it')).toBe('npx millrace --server.dataDir ./restored');
        await rm(join(folder, 'restored'), { recursive: true });
        const [archive] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Download' }).press('Enter'),
        ]);
        await archive.saveAs(join(folder, archive.suggestedFilename()));
        await card.getByLabel('It was downloaded').check();
        expect(await runs('Restore it')).toContain(`Backup ${name} is restored`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('says how to configure another engine where there is none to move to', async () => {
      const { page } = admin;
      await admin.show('server/move');
      await page.getByText('No Elasticsearch is configured').waitFor();
      expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
    });
  });

  it.runIf(!isEmbedded)('says why an Elasticsearch server makes no backups, and can not be moved', async () => {
    const { page } = admin;
    await admin.show('server/backups');
    await page.getByText('This server makes no backups').waitFor();
    await admin.show('server/move');
    await page.getByText('The data of this server can’t be moved').waitFor();
  });

  it('says where the log is when the embedding program writes it', async () => {
    await admin.show('server/log');
    await admin.page.getByText('This server keeps no log').waitFor();
    await admin.page.getByText('read it there').waitFor();
  });

  describe('documents', () => {
    beforeAll(async () => {
      const documents = Array.from({ length: 6 }, (_, at) => ({
        _id: `d-${at}`,
        body: { name: `Dock ${at}`, district: at < 4 ? 'Harbour' : 'Hill', bikes: at, opened: `2021-0${at + 1}-01` },
      }));
      await run('collection.updateMapping', { ...stations, body: { properties: { district: { type: 'keyword' } } } });
      await run('document.mCreateOrReplace', { ...stations, body: { documents }, refresh: 'wait_for' });
    });

    it('charts the values, the dates and the range of a field', async () => {
      const { page } = admin;
      await admin.show('data/city/stations?q=dock');
      await page.getByRole('button', { name: 'Chart', exact: true }).click();
      const chart = page.getByRole('region', { name: 'Chart of a field' });
      await chart.getByLabel('Chart of').selectOption('district');
      await chart.getByRole('button', { name: 'Table' }).click();
      await chart.getByRole('row', { name: 'Harbour 4' }).waitFor();
      await chart.getByRole('row', { name: 'Hill 2' }).waitFor();
      await chart.getByLabel('Chart of').selectOption('opened');
      await chart.getByLabel('each').selectOption('year');
      await chart.getByRole('row', { name: /^2021.* 6$/ }).waitFor();
      await chart.getByLabel('Chart of').selectOption('bikes');
      await chart.getByText('Average').waitFor();
      await chart.getByText('2.5', { exact: true }).waitFor();
      await chart.getByRole('button', { name: 'Close the chart' }).click();
    });

    it('exports cells that a spreadsheet would run with an apostrophe, and imports them as they were', async () => {
      const { page } = admin;
      const formulas = { index: 'city', collection: 'formulas' };
      const body = { a: '=1+1', b: '-5', c: -5, d: "'=x", e: '@me', f: "it's", g: '\tx', h: '12' };
      await run('collection.create', formulas);
      await run('document.create', { ...formulas, _id: '+id', body, refresh: 'wait_for' });
      await admin.show('data/city/formulas');
      await page.getByRole('row', { name: 'Document +id' }).waitFor();
      await page.getByText('Import, export').click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ]);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      const csv = Buffer.concat(chunks).toString();
      expect(csv).toBe("_id,a,b,c,d,e,f,g,h\r\n'+id,'=1+1,'-5,-5,''=x,'@me,it's,'\tx,12\r\n");
      await run('document.delete', { ...formulas, _id: '+id' });
      await page
        .getByLabel('File to import')
        .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
      await page.getByText('1 documents written, 0 refused.').waitFor();
      await page.keyboard.press('Escape');
      // Digits in a CSV file are a number.
      expect((await run('document.get', { ...formulas, _id: '+id' }))['_source']).toEqual({ ...body, h: 12 });
    });

    it('shows the recorded versions of a document, and takes an earlier one back', async () => {
      const { page } = admin;
      await run('realtime.changes', stations);
      await run('document.createOrReplace', { ...stations, _id: 'v-1', body: { name: HOSTILE, bikes: 1 } });
      await run('document.update', { ...stations, _id: 'v-1', body: { bikes: 2 } });
      await admin.show('data/city/stations?doc=v-1');
      const drawer = page.getByRole('complementary', { name: 'v-1' });
      await drawer.getByRole('radio', { name: 'History' }).click();
      const versions = drawer.getByRole('list', { name: 'Versions, the newest first' }).getByRole('listitem');
      await expect.poll(() => versions.count()).toBe(2);
      expect(await versions.first().textContent()).toContain('bikes: 1 → 2');
      // Another writer: the list is read again.
      await run('document.update', { ...stations, _id: 'v-1', body: { bikes: 3 } });
      await expect.poll(() => versions.count()).toBe(3);
      expect(await admin.findings()).toEqual([]);
      await drawer.getByRole('button', { name: 'Show it' }).click();
      await drawer.getByText(/^version 3/).waitFor();
      await versions.last().getByRole('button', { name: 'Take into the form' }).click();
      await drawer.getByRole('button', { name: 'Save', exact: true }).click();
      await drawer.getByText('version 4').waitFor();
      expect((await run('document.get', { ...stations, _id: 'v-1' }))['_source']).toEqual({ name: HOSTILE, bikes: 1 });
    });

    it('saves queries in the browser, for each user', async () => {
      const { page } = admin;
      await admin.show('data/city/stations?q=dock 3');
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      await page.getByText('Saved', { exact: true }).click();
      await page.getByRole('button', { name: 'Save this query…' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('third dock');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await admin.show('data/city/stations?page=1');
      await page.getByRole('row', { name: 'Document d-5' }).waitFor();
      await page.getByText('Saved', { exact: true }).click();
      await page.getByRole('button', { name: 'third dock', exact: true }).click();
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      expect(await page.getByLabel('Words to find').inputValue()).toBe('dock 3');
      const kept = await page.evaluate('Object.keys(localStorage)');
      expect(kept).toEqual(['millrace.queries/admin/city/stations']);
      await page.getByText('Saved', { exact: true }).click();
      await page.getByRole('button', { name: 'Remove third dock' }).click();
      await page.getByText('No saved queries yet').waitFor();
    });
  });

  describe('realtime', () => {
    it('publishes a message, and shows who is in the room', async () => {
      const { page } = admin;
      await admin.show('realtime?index=city&collection=stations');
      await page.getByText('Waiting for changes').waitFor();
      const presence = page.getByRole('status', { name: 'Presence' });
      await presence.getByText('1 connection in the room').waitFor();
      const client = createClient(url).with(realtime({ WebSocket: WebSocket }));
      await client.login('local', { username: 'admin', password: PASSWORD });
      const other = client.collection('city', 'stations').subscribe({}, { presence: { name: HOSTILE } });
      await presence.getByText(HOSTILE.slice(0, 8)).waitFor();
      const events = page.getByLabel('Events, the newest first');
      await events.getByText('joined').waitFor();
      other.close();
      await events.getByText('gone').waitFor();
      await page.getByRole('textbox', { name: 'Message' }).fill('{"text": "hello"}');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Published.').waitFor();
      await events.getByText('{"text":"hello"}').waitFor();
      client.connection.close();
    });

    it('replays what was missed since a position, also that of a named subscription', async () => {
      const { page } = admin;
      const watch = page.getByRole('textbox', { name: /^After position/ });
      await admin.show('realtime?index=city&collection=stations');
      const position = await page
        .getByText(/^Position/)
        .locator('code')
        .textContent();
      await run('document.createOrReplace', { ...stations, _id: 'd-1', body: { bikes: 11 } });
      await admin.show('realtime');
      await page.getByText('Waiting for changes').waitFor({ state: 'detached' });
      await admin.show(`realtime?index=city&collection=stations&cursor=${position}`);
      await expect.poll(() => watch.inputValue()).toBe(position);
      const events = page.getByLabel('Events, the newest first');
      await events.getByText('missed').first().waitFor();
      await events.getByText('d-1').first().waitFor();
      await admin.show('realtime?index=city&collection=stations&cursor=nonsense');
      await events.getByText('changes are missing').waitFor();

      const client = createClient(url).with(realtime({ WebSocket: WebSocket }));
      await client.login('local', { username: 'admin', password: PASSWORD });
      const till = client.collection('city', 'stations').subscribe({}, { name: 'till-7' });
      await till.ready;
      await till.acknowledge(till.cursor ?? '');
      till.close();
      await run('document.createOrReplace', { ...stations, _id: 'd-2', body: { bikes: 12 } });
      await admin.show('realtime');
      const named = page.getByRole('region', { name: 'Named subscriptions' });
      await named.getByRole('button', { name: 'Read again' }).click();
      await named.getByRole('link', { name: 'What it missed' }).click();
      await events.getByText('d-2').first().waitFor();
      await named.getByRole('button', { name: 'Remove…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await named.getByText('No named subscriptions').waitFor();
    });
  });

  it('shows the screen of a plugin in a frame that reaches neither the token nor undeclared actions', async () => {
    // Not among those whose problems fail the file: what the frame tries is refused with errors.
    const console = await ConsolePage.open(server.browser, url);
    const { page } = console;
    await console.signIn('admin', PASSWORD);
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Shop' }).click();
    const frame = page.frameLocator('iframe[title="Shop"]');
    await frame.getByText('done: true').waitFor();
    expect(await frame.getByRole('listitem').allTextContents()).toEqual([
      'message: {"millrace":"screen"}',
      'count: true',
      'jwt: true',
      'token: "console.action_not_declared"',
      'ticket: "console.action_not_declared"',
      'users: "console.action_not_declared"',
      'refused: 400',
      'parent: "SecurityError"',
      'cookie: "SecurityError"',
      'storage: "SecurityError"',
      'top: "SecurityError"',
      'network: "TypeError"',
      'origin: "null"',
      'done: true',
    ]);
    expect(await console.findings()).toEqual([]);
    // Opened outside of the console, the page has no more access.
    await page.goto(`${url}/_shop/`);
    expect(await page.evaluate('self.origin')).toBe('null');
    await console.context.close();
  });

  it('draws what the server measures over time, and has it as a table', async () => {
    const { page } = admin;
    await admin.show('server/statistics');
    const latency = page.getByRole('region', { name: 'Latency' });
    // A second measurement shows the requests between both.
    await expect
      .poll(() => latency.getByRole('img').getAttribute('aria-label'))
      .toMatch(/half of them [\d.,]+ ms, 99 of 100 [\d.,]+ ms/);
    expect(await latency.locator('path').first().getAttribute('d')).toMatch(/^M/);
    await page.getByRole('region', { name: 'Memory' }).getByText(/MB/).first().waitFor();
    const requests = page.getByRole('region', { name: 'Requests', exact: true });
    await requests.getByRole('button', { name: 'Table' }).click();
    await requests.getByRole('columnheader', { name: 'completed' }).waitFor();
    expect(await page.locator('[style]').count()).toBe(0);
    const ada = await open();
    await run('security.createRole', {
      _id: 'viewer',
      body: { controllers: { server: { actions: { info: true, getAllStats: true } } } },
    });
    await run('security.createProfile', {
      _id: 'viewers',
      body: { policies: [{ roleId: 'viewer' }, { roleId: 'default' }] },
    });
    await run('security.createUser', { _id: 'ada', body: { profileIds: ['viewers'], password: PASSWORD } });
    await ada.signIn('ada', PASSWORD);
    await ada.show('server/statistics');
    await ada.page.getByText('need the right').waitFor();
    expect(await ada.page.getByRole('radio').allTextContents()).toEqual(['Health', 'Statistics']);
    await ada.context.close();
  });

  it.runIf(!isEmbedded)('copies the data to Elasticsearch for a comparison, ends a move, then moves it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-console-move-'));
    const target = `test-${randomBytes(6).toString('hex')}`;
    const proxy = new UnreliableProxy(new URL(NODE));
    await proxy.appear();
    let isCancelling = false;
    const watch = definePlugin({
      name: 'watch',
      kernel: '^0.1.0',
      setup(host) {
        host.pipe({
          when: 'before',
          actions: 'server.cancelMove',
          run: (input) => {
            isCancelling = true;
            return input;
          },
        });
      },
    });
    const movable = new Kernel({
      config: {
        http: { port: 0 },
        server: { dataDir: folder },
        storage: { elasticsearch: { node: proxy.url, prefix: target } },
      },
      plugins: [localAuth(), adminConsole({ enabled: true }), watch],
      logger: silentLogger,
    });
    try {
      const [first] = await movable.start();
      const { page, context } = await ConsolePage.open(server.browser, first?.url ?? '');
      await page.goto(`${first?.url}/_console/#/server/move`);
      await page.getByText('The documents are in the embedded engine').waitFor();
      await page.getByRole('button', { name: 'Try it…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Copy and compare' }).click();
      const last = page.getByRole('region', { name: 'The last move' });
      await last.getByText('Complete').waitFor({ timeout: 90_000 });
      await page.getByText('The documents are in the embedded engine').waitFor();
      // A move that does not end by itself.
      proxy.isDeaf = true;
      await page.getByRole('button', { name: 'Try it…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Copy and compare' }).click();
      await last.getByRole('button', { name: 'End it…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End the move' }).click();
      await expect.poll(() => isCancelling).toBe(true);
      proxy.isDeaf = false;
      proxy.cut();
      await last.getByText('Ended before the switch').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.getByText('The documents are in the embedded engine').waitFor();
      await page.getByRole('button', { name: 'Move to Elasticsearch…' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('elasticsearch');
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByText('The documents are in Elasticsearch').waitFor({ timeout: 90_000 });
      await context.close();
    } finally {
      await movable.stop();
      await rm(folder, { recursive: true, force: true });
      await proxy.vanish();
      await removeIndexes(target);
    }
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core and no scroll bar across: %s, %i px', async (colorScheme, width) => {
    const console = await open({ colorScheme, width });
    await console.signIn('admin', PASSWORD);
    const screens = [
      ...['memory', 'memory/visit:1', 'memory/user:1', 'memory/places', 'memory?tab=commands'],
      ...['data/city/stations?chart=district', 'data/city/stations?chart=bikes'],
      'realtime?index=city&collection=stations',
      'plugins/_quiet',
      ...['server', 'server/statistics', 'server/log', 'server/backups', 'server/move'],
    ];
    expect(await console.findingsOnAll(screens)).toEqual([]);
    await console.context.close();
  });
});
