/*
 * The admin console in a real Chromium, on a server in this process: CHROMIUM names its binary, or /usr/bin/chromium is
 * taken. An error of a script, a violation of the policy or a request to another origin fails the file.
 */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const MAX_SCRIPT_BYTES = 80 * 1024;
const HOSTILE = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>\u202Etxt.exe`;

const MAPPING = {
  properties: {
    name: { type: 'text' },
    district: { type: 'keyword' },
    bikes: { type: 'integer' },
    opened: { type: 'date' },
  },
};

describe.skipIf(!hasChromium())('the admin console', () => {
  let server: ConsoleServer;
  let url = '';
  let admin: ConsolePage;

  const run: ConsoleServer['run'] = (action, fields) => server.run(action, fields);
  const open: ConsoleServer['open'] = (options) => server.open(options);
  const stations = { index: 'city', collection: 'stations' };
  const write = (_id: string, body: JsonObject) =>
    run('document.createOrReplace', { ...stations, _id, body, refresh: 'wait_for' });

  beforeAll(async () => {
    server = await ConsoleServer.start();
    ({ url } = server);
  });
  afterAll(() => server?.stop());

  it('shows an empty server what to do next, and creates the first collection', async () => {
    const { page, ...console } = await open();
    await page.getByRole('heading', { name: 'Create the administrator' }).waitFor();
    await page.goto(`${url}/_console/#/data`);
    await page.getByText('No data yet').waitFor();
    await page.getByRole('button', { name: 'New collection' }).last().click();
    await page.getByRole('textbox', { name: 'Index' }).fill('city');
    await page.getByLabel('Collection', { exact: true }).fill('stations');
    await page.getByLabel('Mapping').fill('{"properties": {"name": {"type": "wrong"}}}');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Mapping').fill(JSON.stringify(MAPPING));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('No documents yet').waitFor();
    expect(await run('collection.exists', stations)).toBe(true);
    await console.context.close();
  });

  it('locks the server with the first administrator, and lists what others made before', async () => {
    const documents = Array.from({ length: 120 }, (_, number) => ({
      _id: `s-${String(number).padStart(3, '0')}`,
      body: {
        name: `Mill Lane ${number}`,
        district: number % 2 === 0 ? 'Harbour' : 'Hill',
        bikes: number,
        opened: '2021-03-01',
      },
    }));
    await run('document.mCreateOrReplace', { ...stations, body: { documents } });
    await run('security.createUser', { _id: 'mallory', body: { profileIds: ['default'], password: PASSWORD } });
    const console = await open();
    const { page } = console;
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create and lock' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create and lock' }).click();
    await page.getByRole('heading', { name: 'The server is locked' }).waitFor();
    await page.getByText('mallory').waitFor();
    expect(await console.findings()).toEqual([]);
    await page.getByRole('button', { name: 'Go to the data' }).click();
    await page.getByRole('link', { name: 'stations' }).click();
    await page.getByRole('row', { name: 'Document s-000' }).waitFor();
    await console.context.close();
  });

  it('asks for a login, keeps the token out of the storage, and loads at most 80 kB of scripts', async () => {
    admin = await open();
    const { page } = admin;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await admin.findings()).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong credentials').waitFor();
    await admin.signIn('admin', PASSWORD);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    const sizes: readonly number[] = await page.evaluate(
      'performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(".js")).map((entry) => entry.encodedBodySize)',
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('shows documents in a grid that the server sorts, pages and searches', async () => {
    const { page } = admin;
    const rows = page.locator('tbody tr');
    const firstRow = () => rows.first().getAttribute('aria-label');
    await admin.show('data/city/stations');
    await expect.poll(() => rows.count()).toBe(50);
    expect(await page.getByTestId('count').textContent()).toMatch(/^1–50 of 120/);
    await page.getByRole('button', { name: 'bikes' }).click();
    await page.getByRole('button', { name: 'bikes' }).click();
    await expect.poll(firstRow).toBe('Document s-119');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(firstRow).toBe('Document s-069');
    await page.goBack();
    await expect.poll(firstRow).toBe('Document s-119');
    await admin.show('data/city/stations');
    await page.getByLabel('Words to find').fill('lane 42');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Words to find').fill('nothing like this');
    await page.keyboard.press('Enter');
    await page.getByText('No document matches').waitFor();
    await page.getByRole('button', { name: 'Clear the query' }).click();
    await expect.poll(() => rows.count()).toBe(50);
  });

  it('has filters on fields, and takes them along into JSON, where errors are at their line', async () => {
    const { page } = admin;
    const rows = page.locator('tbody tr');
    await page.getByRole('radio', { name: 'Filters' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('bikes');
    await page.getByLabel('Operator').selectOption('min');
    await page.getByLabel('Value', { exact: true }).fill('115');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByRole('radio', { name: 'JSON' }).click();
    const body = page.getByLabel('Body of the search');
    expect(JSON.parse(await body.inputValue())).toEqual({
      query: { bool: { filter: [{ range: { bikes: { gte: 115 } } }] } },
    });
    await body.fill('{\n  "query": {\n    "match_everything": {}\n  }\n}');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Line 3, column 5:').waitFor();
    expect(await body.getAttribute('aria-invalid')).toBe('true');
    await body.fill('{"query": ');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Line 1, column 10:').waitFor();
    await body.fill('{"query": {"term": {"district": "Hill"}}, "size": 3}');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => rows.count()).toBe(3);
  });

  it('shows changes as they are made, unless it is paused', async () => {
    const { page } = admin;
    // Without a sort, Elasticsearch lists a changed document last.
    await admin.show('data/city/stations?sort=bikes:asc');
    await page.getByRole('button', { name: 'Live' }).waitFor();
    const row = page.getByRole('row', { name: 'Document s-000' });
    await row.getByText('Mill Lane 0', { exact: true }).waitFor();
    await write('s-000', { name: 'Renamed', district: 'Hill', bikes: 7 });
    await row.getByText('Renamed').waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    await page.getByRole('button', { name: 'Paused' }).click();
  });

  it('shows hostile content as text', async () => {
    const { page } = admin;
    await write('<b>id</b>', { name: HOSTILE, district: HOSTILE, bikes: 1, '"><script>x': HOSTILE });
    await admin.show(
      `data/city/stations?depth=json&json=${encodeURIComponent('{"query":{"ids":{"values":["<b>id</b>"]}}}')}`,
    );
    await page.locator('tbody tr').first().waitFor();
    await page.locator('tbody tr td.id', { hasText: '<b>id</b>' }).click();
    const drawer = page.getByRole('complementary', { name: '<b>id</b>' });
    await drawer.getByRole('radio', { name: 'JSON' }).click();
    expect(await page.getByRole('textbox', { name: 'Document <b>id</b>' }).inputValue()).toContain(
      '<img src=x onerror',
    );
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await page.locator('#console img, #console script').count()).toBe(0);
    await run('document.delete', { ...stations, _id: '<b>id</b>', refresh: 'wait_for' });
  });

  it('merges the changes of two users, and asks where both have changed a field', async () => {
    await write('s-001', { name: 'Mill Lane 1', district: 'Hill', bikes: 1 });
    const other = await open();
    await other.signIn('admin', PASSWORD);
    for (const each of [admin, other]) {
      await each.show('data/city/stations?live=off&doc=s-001');
      await each.page.getByRole('textbox', { name: /^bikes/ }).waitFor();
    }
    await admin.page.getByRole('textbox', { name: /^bikes/ }).fill('5');
    await admin.page.getByRole('button', { name: 'Save', exact: true }).click();
    await admin.page.getByText('version 3').waitFor();
    // Another field: merged without a question.
    await other.page.getByRole('textbox', { name: /^district/ }).fill('Harbour');
    await other.page.getByRole('button', { name: 'Save', exact: true }).click();
    await other.page.getByText('version 4').waitFor();
    expect((await run('document.get', { ...stations, _id: 's-001' }))['_source']).toMatchObject({
      bikes: 5,
      district: 'Harbour',
    });
    // The same field: a choice.
    await admin.page.getByRole('textbox', { name: /^bikes/ }).fill('8');
    await admin.page.getByRole('textbox', { name: /^name/ }).fill('By admin');
    await other.page.getByRole('textbox', { name: /^bikes/ }).fill('9');
    await other.page.getByRole('button', { name: 'Save', exact: true }).click();
    await other.page.getByText('version 5').waitFor();
    await admin.page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = admin.page.getByRole('alert', { name: 'Conflict' });
    await conflict.getByText('was 5').waitFor();
    expect(await admin.findings()).toEqual([]);
    await conflict.getByRole('button', { name: 'Theirs: 9' }).click();
    await conflict.getByRole('button', { name: 'Save the choice' }).click();
    await admin.page.getByText('version 6').waitFor();
    expect((await run('document.get', { ...stations, _id: 's-001' }))['_source']).toEqual({
      name: 'By admin',
      district: 'Harbour',
      bikes: 9,
    });
    await other.context.close();
  });

  it('can be used by the keyboard alone: sign in, find, edit, save, close', async () => {
    const { page, context } = await open();
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await tabTo(page, 'Name');
    await page.keyboard.type('admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.getByRole('link', { name: 'stations' }).waitFor();
    await tabTo(page, 'stations');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'Document s-002' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('lane 77');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await tabTo(page, 'Document s-077');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: /^bikes/ }).waitFor();
    await tabTo(page, 'bikes');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('700');
    await page.keyboard.press('Control+S');
    await page.getByText('version 2').waitFor();
    expect((await run('document.get', { ...stations, _id: 's-077' }))['_source']).toMatchObject({ bikes: 700 });
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 's-077' }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('shows the results of aggregations', async () => {
    const { page } = admin;
    const body = { size: 0, aggs: { most: { max: { field: 'bikes' } } } };
    await admin.show(`data/city/stations?depth=json&json=${encodeURIComponent(JSON.stringify(body))}`);
    await page.getByLabel('Aggregations as JSON').getByText('"most"').waitFor();
  });

  it('says what a change of a mapping does, and why it is refused, before it is saved', async () => {
    const { page } = admin;
    await admin.show('data/city/stations?tab=settings');
    const editor = page.getByRole('textbox', { name: 'Mapping' });
    const plan = page.getByRole('status', { name: 'What saving does' });
    await editor.waitFor();
    expect(await plan.count()).toBe(0);
    const change = (fields: JsonObject) => editor.fill(JSON.stringify({ dynamic: 'strict', properties: fields }));
    const open = { type: 'boolean', null_value: false };
    await change({ name: { type: 'text', fields: { raw: { type: 'keyword' } } }, state: { properties: { open } } });
    await plan.getByText('dynamic of the collection changes from true to "strict".').waitFor();
    await plan.getByText('The field name.raw is added: keyword.').waitFor();
    await plan.getByText('The field state is added: object.').waitFor();
    await plan.getByText('The field state.open is added: boolean, with null_value false.').waitFor();
    await plan.getByText('The field bikes stays: fields can’t be removed.').waitFor();
    expect(await plan.locator('.problem').count()).toBe(0);
    expect(await admin.findings()).toEqual([]);
    await change({ bikes: { type: 'keyword' } });
    await plan.getByText('type of bikes changes from "integer" to "keyword".').waitFor();
    await plan.getByText(/would refuse it: .*cannot change from integer to keyword/).waitFor();
    await editor.fill('{');
    await plan.waitFor({ state: 'detached' });
    await change({ bikes: { type: 'integer', ignore_malformed: true }, opened: { type: 'date' } });
    await plan.getByText('ignore_malformed of bikes is set to true.').waitFor();
    const mappingOf = () => run('collection.getMapping', stations);
    expect(JSON.stringify(await mappingOf())).not.toContain('ignore_malformed');
    await editor.press('Control+Enter');
    await page.getByText('Saved.').waitFor();
    await plan.waitFor({ state: 'detached' });
    expect(JSON.stringify(await mappingOf())).toContain('"ignore_malformed":true');
    await run('collection.updateMapping', { ...stations, body: { dynamic: true, properties: {} } });
  });

  it('creates, changes and deletes several documents', async () => {
    const { page } = admin;
    await admin.show('data/city/stations?sort=bikes:asc');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByLabel(/^_id/).fill('aa-new');
    await page.getByLabel('Content').fill('{"name": "New dock", "bikes": 4}');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('complementary', { name: 'aa-new' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Select aa-new').check();
    await page.getByLabel('Select s-003').check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Set fields' }).click();
    await page.getByLabel('Fields to set').fill('{"district": "Quay"}');
    await page.getByRole('button', { name: 'Change 2' }).click();
    await expect
      .poll(() => run('document.count', { ...stations, body: { query: { term: { district: 'Quay' } } } }))
      .toEqual({ count: 2 });
    await page.getByLabel('Select aa-new').check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete 1' }).click();
    await page.getByRole('row', { name: 'Document aa-new' }).waitFor({ state: 'detached' });
  });

  it('changes all documents that match, also those of other pages', async () => {
    const { page } = admin;
    const inHill = { ...stations, body: { query: { term: { district: 'Hill' } } } };
    const { count } = await run<{ readonly count: number }>('document.count', inHill);
    expect(count).toBeGreaterThan(50);
    await admin.show('data/city/stations?depth=filters&f=[["district","is","Hill"]]');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await page.getByLabel('Select all of this page').check();
    await page.getByText('50 selected').waitFor();
    await page.getByRole('button', { name: `Select all ${count} that match` }).click();
    await page.getByRole('button', { name: 'Set fields' }).click();
    await page.getByLabel('Fields to set').fill('{"district": "Mill Hill"}');
    await page.getByRole('button', { name: `Change ${count}` }).click();
    const renamed = { ...stations, body: { query: { term: { district: 'Mill Hill' } } } };
    await expect.poll(() => run('document.count', renamed)).toEqual({ count });
    await page.getByText('No document matches').waitFor();
  });

  it('exports what is found, and imports it again', async () => {
    const { page } = admin;
    await admin.show(
      `data/city/stations?depth=json&json=${encodeURIComponent('{"query":{"ids":{"values":["s-010","s-011"]}}}')}`,
    );
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    const download = async (name: string) => {
      await page.getByText('Import, export').click();
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };
    const csv = await download('Export as CSV');
    expect(csv).toBe(
      '_id,name,district,bikes,opened\r\ns-010,Mill Lane 10,Harbour,10,2021-03-01\r\ns-011,Mill Lane 11,Mill Hill,11,2021-03-01\r\n',
    );
    const lines = (await download('Export as NDJSON')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as JsonObject)['_id'])).toEqual(['s-010', 's-011']);
    const imported = csv.replace('s-010,Mill Lane 10', 'zz-1,"Mill ""Lane"", imported"');
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(imported) });
    await page.getByText('2 documents written, 0 refused.').waitFor();
    await page.keyboard.press('Escape');
    expect((await run('document.get', { ...stations, _id: 'zz-1' }))['_source']).toEqual({
      name: 'Mill "Lane", imported',
      district: 'Harbour',
      bikes: 10,
      opened: '2021-03-01',
    });
    await run('document.delete', { ...stations, _id: 'zz-1', refresh: 'wait_for' });
  });

  it('runs any action by a form, and shows its call', async () => {
    const { page } = admin;
    await admin.show('actions');
    await page.getByLabel('Filter actions').fill('document count');
    await page.getByRole('link', { name: 'count', exact: true }).click();
    await page.getByLabel(/^index/).fill('city');
    await page.getByLabel(/^collection/).fill('stations');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByLabel('Answer as JSON').getByText('"count": 120').waitFor();
    await page.getByLabel(/^index/).fill('NO');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('keeps the requests of the tab, without secrets, and forgets them', async () => {
    const { page } = admin;
    const sent = page.getByRole('region', { name: 'Requests of this tab' });
    const items = () => sent.getByRole('listitem');
    await admin.show('actions');
    expect(await items().first().textContent()).toMatch(
      /document\.count.*status 4\d\d.*index: NO, collection: stations/,
    );
    expect(await items().nth(1).textContent()).toMatch(
      /document\.count.*status 200.*index: city, collection: stations/,
    );
    await items().nth(1).getByRole('link').click();
    await page.getByLabel(/^index/).waitFor();
    expect(await page.getByLabel(/^index/).inputValue()).toBe('city');
    const secret = 'not to be kept';
    const send = async (action: string, body: JsonObject, inputs: Readonly<Record<string, string>> = {}) => {
      await admin.show(`actions/${action}`);
      for (const [name, text] of Object.entries(inputs)) await page.getByLabel(new RegExp(`^${name}\\b`)).fill(text);
      await page.getByRole('textbox', { name: 'Body', exact: true }).fill(JSON.stringify(body));
      await page.getByRole('button', { name: 'Run' }).click();
      await expect.poll(() => items().first().textContent()).toContain(action);
    };
    await send('auth.createMyCredentials', { username: 'admin', password: secret, pin: secret }, { strategy: 'local' });
    const ada = { profileIds: ['default'], deep: [{ apiKey: secret, name: 'Di' }] };
    await send('security.createUser', ada, { _id: 'di', password: secret });
    await admin.show('actions');
    expect(await items().first().textContent()).toContain('in part');
    const kept = await page.evaluate(
      'document.body.textContent + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    expect(kept).not.toContain(secret);
    await items().first().getByRole('link').click();
    const body = page.getByRole('textbox', { name: 'Body', exact: true });
    await expect.poll(() => body.inputValue()).toContain('Di');
    expect(JSON.parse(await body.inputValue())).toEqual({ profileIds: ['default'], deep: [{ name: 'Di' }] });
    expect(await admin.findings()).toEqual([]);
    await sent.getByRole('button', { name: 'Forget all' }).click();
    await sent.waitFor({ state: 'detached' });
    await admin.show('actions');
    await page.getByText('Choose an action').waitFor();
    expect(await sent.count()).toBe(0);
    await run('security.deleteUser', { _id: 'di' });
  });

  it('writes roles and users, and shows a user with few rights no more than they allow', async () => {
    const { page } = admin;
    await admin.show('people/roles?new=1&tab=json');
    await page.getByLabel('Name', { exact: true }).fill('reader');
    await page.getByLabel('Content of the role').fill('{"controllers": {"document": {"actions": 1}}}');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').waitFor();
    const rights = {
      document: { actions: { get: true, search: true, count: true } },
      index: { actions: { list: true } },
    };
    const role = { controllers: { ...rights, collection: { actions: { list: true, getMapping: true } } } };
    await page.getByLabel('Content of the role').fill(JSON.stringify(role));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('cell', { name: 'reader' }).waitFor();
    await run('security.createProfile', {
      _id: 'readers',
      body: { policies: [{ roleId: 'reader' }, { roleId: 'default' }] },
    });
    await run('security.createUser', { _id: 'ada', body: { profileIds: ['readers'], password: PASSWORD } });
    await admin.show('people');
    await page.getByRole('button', { name: 'ada' }).click();
    await page.getByRole('complementary', { name: 'ada' }).waitFor();

    const ada = await open();
    await ada.signIn('ada', PASSWORD);
    const screens = ada.page.getByRole('navigation', { name: 'Screens' });
    expect(await screens.getByRole('link').allTextContents()).toEqual(['Data', 'Actions', 'Server']);
    await ada.show('data/city/stations?doc=s-005');
    await ada.page.getByText('Your roles let you read this collection').waitFor();
    expect(await ada.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await ada.page.getByRole('button', { name: 'New', exact: true }).count()).toBe(0);
    await ada.show('people');
    await ada.page.locator('[data-state="no-right"]').waitFor();
    await ada.page.getByRole('button', { name: 'Sign out' }).click();
    await ada.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await ada.context.close();

    const ownRights = { actions: { getCurrentUser: true, getMyRights: true } };
    await run('security.createRole', { _id: 'strict', body: { controllers: { ...rights, auth: ownRights } } });
    await run('security.createProfile', { _id: 'strict', body: { policies: [{ roleId: 'strict' }] } });
    await run('security.createUser', { _id: 'eve', body: { profileIds: ['strict'], password: PASSWORD } });
    const eve = await open();
    await eve.signIn('eve', PASSWORD);
    await eve.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Data' }).waitFor();
    await eve.context.close();
  });

  it('watches the events of a collection', async () => {
    const { page } = admin;
    await admin.show('realtime?index=city&collection=stations');
    await page.getByText('Waiting for changes').waitFor();
    await write('s-020', { name: 'Watched', district: 'Hill', bikes: 3 });
    await page.getByLabel('Events, the newest first').getByText('s-020').waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core and no scroll bar across: %s, %i px', async (colorScheme, width) => {
    const console = await open({ colorScheme, width });
    await console.signIn('admin', PASSWORD);
    const screens = [
      ...['data', 'data/city/stations', 'data/city/stations?doc=s-004', 'data/city/stations?tab=settings'],
      ...['data/city/stations?depth=filters', 'data/city/stations?depth=json', 'data/city/stations?new=1'],
      ...['actions', 'actions/document.count', 'people', 'people/roles?id=default', 'realtime'],
      ...['server', 'server/statistics', 'server/configuration'],
    ];
    expect(await console.findingsOnAll(screens)).toEqual([]);
    await console.context.close();
  });
});

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: ConsolePage['page'], name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused = await page.evaluate(
      `(() => { const { activeElement: e } = document; return [e.getAttribute('aria-label'), e.textContent, e.labels?.[0]?.textContent].map((text) => (text ?? '').trim()); })()`,
    );
    if (
      (focused as string[]).some((text) => text === name || text.startsWith(`${name} `) || text.startsWith(`${name}1`))
    )
      return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reaches ${JSON.stringify(name)}`);
}
