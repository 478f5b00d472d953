/*
 * Long values, changes of many documents, suggested values and the settings of a collection, in a real Chromium: see
 * console.test.ts. With MILLRACE_TEST_ELASTICSEARCH on Elasticsearch and Redis as well.
 */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';
import { CONSOLE_ENGINES } from './openConsoleEngines.js';

const PASSWORD = 'correct horse battery';
const HOSTILE = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;
const MEGABYTE = 'long text '.repeat(100_000);

describe.skipIf(!hasChromium()).each(CONSOLE_ENGINES)('documents in the console, %s', (engine) => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const places = { index: 'city', collection: 'places' };
  const run: ConsoleServer['run'] = (action, fields) => server.run(action, fields);
  const count = async (query: JsonObject) =>
    (await run<{ readonly count: number }>('document.count', { ...places, body: { query } })).count;
  const open = (json: JsonObject) =>
    admin.show(`data/city/places?live=off&depth=json&json=${encodeURIComponent(JSON.stringify(json))}`);

  beforeAll(async () => {
    server = await ConsoleServer.start({ engine });
    await run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD }, reset: true });
    await run('index.create', { index: 'city' });
    const properties = { kind: { type: 'keyword' }, n: { type: 'integer' } };
    await run('collection.create', { ...places, body: { properties } });
    const documents = Array.from({ length: 1_200 }, (_, n) => ({
      _id: `p-${String(n).padStart(4, '0')}`,
      body: { kind: n % 2 === 0 ? 'Park' : 'Parking', n },
    }));
    await run('document.mCreateOrReplace', { ...places, body: { documents }, refresh: 'wait_for' });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(() => server?.stop());

  it('are shown where no WebSocket passes, and live once one does', async () => {
    const console = await server.open();
    const { page } = console;
    let isBlocked = true;
    await page.routeWebSocket(/.*/, (socket) => {
      if (isBlocked) void socket.close();
      else socket.connectToServer();
    });
    await console.signIn('admin', PASSWORD);
    await console.show('data/city/places?live=on&sort=n:asc');
    await page.getByRole('row', { name: 'Document p-0000' }).waitFor();
    await page.getByRole('button', { name: 'Not live' }).waitFor();
    isBlocked = false;
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  });

  describe('with values of megabytes', () => {
    const large = { index: 'city', collection: 'large' };

    beforeAll(async () => {
      const properties = { text: { type: 'text' }, numbers: { type: 'integer' }, n: { type: 'integer' } };
      await run('collection.create', { ...large, body: { properties } });
      const numbers = Array.from({ length: 10_000 }, (_, n) => n);
      for (let n = 0; n < 10; n++) {
        const body = { n, text: `${n} ${MEGABYTE}`, numbers };
        await run('document.create', { ...large, _id: `l-${n}`, body, refresh: 'wait_for' });
      }
    });

    it.each(['on', 'off'])('the grid downloads their beginnings, and a document the rest: live %s', async (live) => {
      const console = await server.open();
      const { page } = console;
      await console.signIn('admin', PASSWORD);
      const sizes: Promise<number>[] = [];
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => sizes.push(Promise.resolve(payload.length))),
      );
      page.on('response', (response) => {
        if (response.request().method() === 'POST') sizes.push(response.body().then(({ length }) => length));
      });
      await console.show(`data/city/large?live=${live}&sort=n:asc`);
      const cells = (id: string) => page.getByRole('row', { name: `Document ${id}` }).getByRole('cell');
      await cells('l-5').getByText('[>120]').waitFor();
      expect(await cells('l-5').getByText('5 long text').textContent()).toBe(`${`5 ${MEGABYTE}`.slice(0, 120)}…`);
      if (live === 'on') {
        await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
        await run('document.update', { ...large, _id: 'l-3', body: { n: 3, numbers: [1, 2] } });
        await cells('l-3').getByText('1, 2').waitFor();
      }
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(1_000);
      expect(bytes).toBeLessThan(100_000);
      await console.show(`data/city/large?live=${live}&doc=l-4`);
      await page.getByRole('complementary', { name: 'l-4' }).getByRole('radio', { name: 'JSON' }).click();
      const whole = page.getByRole('textbox', { name: 'Document l-4' });
      await expect.poll(() => whole.inputValue()).toContain(`"4 ${MEGABYTE}"`);
      await console.context.close();
    });
  });

  describe('changes of many', () => {
    const selectAll = async (total: string) => {
      const { page } = admin;
      await page.getByLabel('Select all of this page').check();
      await page.getByRole('button', { name: `Select all ${total} that match` }).click();
      await page.getByText(`${total} selected`).waitFor();
    };

    it('show their progress, and can be stopped', async () => {
      const { page } = admin;
      let slices = 0;
      let release: () => void = () => undefined;
      const isReleased = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/_message/document/deleteByQuery*', async (route) => {
        slices++;
        if (slices === 2) await isReleased;
        await route.fallback();
      });
      await admin.show('data/city/places?live=off');
      await page.getByLabel('Select p-0000').check();
      await page.getByRole('button', { name: 'Select the page' }).click();
      await selectAll('1,200');
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete 1200' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 1200 documents?' });
      await dialog.getByText('500 of 1,200 deleted').waitFor();
      expect(await dialog.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('500');
      expect(await admin.findings()).toEqual([]);
      await dialog.getByRole('button', { name: 'Stop' }).click();
      release();
      await dialog.getByText('1,000 of 1,200 deleted, then stopped').waitFor();
      expect(slices).toBe(2);
      expect(await count({ match_all: {} })).toBe(200);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('of 200').first().waitFor();
      await page.unroute('**/_message/document/deleteByQuery*');
    });

    it('concern what the list shows, whatever narrows it', async () => {
      const { page } = admin;
      const parking = { term: { kind: 'Parking' } };
      for (const [at, narrowed] of [
        { filter: parking },
        { post_filter: parking },
        { query: { match_all: {} }, filter: parking },
        { query: parking, min_score: 0 },
      ].entries()) {
        // Another size each time: the list before has the same total.
        await open({ ...narrowed, size: 50 + at });
        await page.getByText(`1–${50 + at} of 100 that match`).waitFor();
        await selectAll('100');
        await page.getByRole('button', { name: 'Set fields' }).click();
        await page.getByLabel('Fields to set').fill(JSON.stringify({ round: at }));
        await page.getByLabel('Fields to set').press('Control+Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await expect.poll(() => count({ bool: { filter: [parking, { term: { round: at } }] } })).toBe(100);
        expect(await count({ term: { round: at } })).toBe(100);
      }
    });

    it('list what the server refuses', async () => {
      const { page } = admin;
      await open({ query: { term: { kind: 'Park' } }, size: 40 });
      await page.getByText('1–40 of 100 that match').waitFor();
      await selectAll('100');
      await page.getByRole('button', { name: 'Set fields' }).click();
      await page.getByLabel('Fields to set').fill('{"n": ');
      await page.getByRole('button', { name: 'Change 100' }).click();
      await page.getByText('Line 1, column').waitFor();
      await page.getByLabel('Fields to set').fill('{"n": "many"}');
      await page.getByRole('button', { name: 'Change 100' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('0 of 100 changed').waitFor();
      await dialog.getByText('100 were not changed').waitFor();
      expect(await dialog.getByRole('listitem').count()).toBe(20);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
    });
  });

  describe('suggested values', () => {
    beforeAll(async () => {
      await run('document.create', { ...places, _id: 'x', body: { kind: [HOSTILE, 'Par[k]+'] }, refresh: 'wait_for' });
    });

    it('are those of the field that begin with the text, in filters', async () => {
      const { page } = admin;
      await admin.show('data/city/places?live=off&depth=filters');
      await page.getByLabel('Field', { exact: true }).selectOption('kind');
      const suggested = () =>
        page
          .locator('#filter-values option')
          .evaluateAll((options) => options.map((each) => each.getAttribute('value')));
      await expect.poll(suggested).toEqual(expect.arrayContaining(['Park', 'Parking', HOSTILE]));
      await page.getByLabel('Value', { exact: true }).fill('pARKi');
      await expect.poll(suggested).toEqual(['Parking']);
      await page.getByLabel('Value', { exact: true }).fill('Par[k]+');
      await expect.poll(suggested).toEqual(['Par[k]+']);
      await page.getByLabel('Value', { exact: true }).fill('<IMG');
      await expect.poll(suggested).toEqual([HOSTILE]);
      expect(await page.evaluate('window.broken')).toBeUndefined();
      await page.getByLabel('Field', { exact: true }).selectOption('n');
      await expect.poll(suggested).toEqual([]);
    });

    it('are offered at the caret of a JSON query', async () => {
      const { page } = admin;
      await open({ query: { match_all: {} } });
      const editor = page.getByRole('textbox', { name: 'Body of the search' });
      const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
      const offered = async (text: string) => {
        await editor.fill('');
        await editor.fill(text);
        await editor.press('Control+Space');
      };
      await offered('{"query": {"term": {"kind": "park');
      await expect.poll(() => options.locator('bdi').allTextContents()).toEqual(['Park', 'Parking']);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      expect(await editor.inputValue()).toBe('{"query": {"term": {"kind": "Parking"');
      for (const text of [
        '{"query": {"terms": {"kind": ["Park", "parki',
        '{"query": {"match": {"kind": {"query": "parki',
      ]) {
        await offered(text);
        await expect.poll(() => options.locator('bdi').allTextContents()).toEqual(['Parking']);
      }
      await offered('{"query": {"term": {"kind": "<im');
      await options.getByText(HOSTILE).waitFor();
      // Another query: the list belongs to the one before.
      await open({ query: { match_none: {} } });
      await expect.poll(() => options.count()).toBe(0);
      await offered('{"query": {"term": {"kind": "<im');
      await options.getByText(HOSTILE).click();
      expect(JSON.parse(`${await editor.inputValue()}}}}`)).toEqual({ query: { term: { kind: HOSTILE } } });
      expect(await page.evaluate('window.broken')).toBeUndefined();
    });
  });

  it('draws the buckets of aggregations as charts', async () => {
    const { page } = admin;
    await open({ size: 0, aggs: { kinds: { terms: { field: 'kind' } }, most: { max: { field: 'n' } } } });
    const chart = page.getByRole('region', { name: 'kinds' });
    await chart.getByRole('button', { name: 'Table' }).click();
    await chart.getByRole('row', { name: /^Parking \d/ }).waitFor();
    await chart.getByText(HOSTILE).waitFor();
    await page.getByLabel('Aggregations as JSON').getByText('"most"').waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await admin.findings()).toEqual([]);
  });

  it('shows one part of the screen after another', async () => {
    const { page } = admin;
    const aggs = { kinds: { terms: { field: 'kind' } } };
    const json = encodeURIComponent(JSON.stringify({ size: 0, aggs }));
    const shown = [
      ['chart=kind', page.getByRole('region', { name: 'Chart of a field' })],
      ['map=at', page.getByRole('region', { name: 'Map', exact: true })],
      [`depth=json&json=${json}`, page.getByRole('region', { name: 'kinds' })],
      ['map=at', page.getByRole('region', { name: 'Map', exact: true })],
      ['chart=n', page.getByRole('region', { name: 'Chart of a field' })],
    ] as const;
    await run('collection.updateMapping', { ...places, body: { properties: { at: { type: 'geo_point' } } } });
    await admin.show('data');
    for (const [query, part] of shown) {
      await admin.show(`data/city/places?live=off&${query}`);
      await part.waitFor();
    }
    await admin.show('server');
    await page.getByRole('region', { name: 'Server' }).waitFor();
  });

  describe('settings of a collection', () => {
    it('say which documents it accepts, and change that', async () => {
      const { page } = admin;
      await admin.show('data/city/places?tab=settings');
      const editor = page.getByRole('textbox', { name: 'Specification' });
      await editor.fill('{"strict": true, "fields": {"kind": {"type": "nothing"}}}');
      await page.getByRole('button', { name: 'Save the specification' }).click();
      await page.getByRole('alert').waitFor();
      await editor.fill('{"fields": {"kind": {"type": "string", "mandatory": true}}}');
      await page.getByRole('button', { name: 'Save the specification' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await server.answer('document.create', { ...places, body: {} })).error).toMatchObject({ status: 400 });
      expect(await admin.findings()).toEqual([]);
      await page.getByRole('button', { name: 'Remove it' }).click();
      await page.getByText('Removed.').waitFor();
      await run('document.create', { ...places, _id: 'free', body: {} });
    });

    it('say what is recorded, and erase it', async () => {
      const { page } = admin;
      const recorded = { index: 'city', collection: 'recorded' };
      await run('collection.create', recorded);
      await run('realtime.changes', recorded);
      for (const n of [1, 2]) await run('document.createOrReplace', { ...recorded, _id: 'one', body: { n } });
      await admin.show('data/city/recorded?tab=settings');
      const facts = page.locator('.facts');
      await facts.getByText('2', { exact: true }).waitFor();
      await facts.getByText('Whole change log').waitFor();
      await page.getByRole('button', { name: 'Erase…' }).click();
      await page.getByLabel('Type recorded to confirm').fill('recorded');
      await page.getByRole('button', { name: 'Erase', exact: true }).click();
      await facts.getByText('2', { exact: true }).waitFor({ state: 'detached' });
      const { result } = await server.answer('realtime.changes', { ...recorded, cursor: 'oldest' });
      expect((result as { readonly changes?: unknown } | null)?.changes ?? []).toEqual([]);
    });

    it('say which roles may do what here', async () => {
      const { page } = admin;
      const actions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]));
      const reading = { document: { actions: actions(['get', 'mGet', 'search', 'count', 'scroll']) } };
      const roles = {
        reader: { controllers: reading },
        elsewhere: { indexes: { city: { collections: { streets: { controllers: reading } } } } },
        hidden: {
          indexes: {
            '*': { collections: { '*': { controllers: reading } } },
            city: { collections: { '*': { controllers: {} } } },
          },
        },
        limited: {
          indexes: {
            city: {
              collections: {
                places: {
                  controllers: { document: { actions: { get: { when: { equals: { 'user._id': 'ada' } } } } } },
                },
              },
            },
          },
        },
      };
      for (const [_id, body] of Object.entries(roles)) await run('security.createRole', { _id, body });
      await admin.show('data/city/places');
      await admin.show('data/city/places?tab=settings');
      const table = page.getByRole('table', { name: 'Rights of roles on this collection' });
      const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name}\\b`) });
      const words = async (name: string) =>
        (await row(name).getByRole('cell').allTextContents()).map((text) => text.trim().split(' ').at(-1));
      await row('reader').waitFor();
      expect(await words('reader')).toEqual(['all', 'no', 'no', 'no', 'no']);
      expect(await words('hidden')).toEqual(['no', 'no', 'no', 'no', 'no']);
      expect(await words('limited')).toEqual(['limited', 'no', 'no', 'no', 'no']);
      expect(await words('admin')).toEqual(['all', 'all', 'all', 'all', 'all']);
      expect(await row('elsewhere').count()).toBe(0);
      await table.getByRole('link', { name: 'reader' }).click();
      await page.getByRole('complementary', { name: 'reader' }).waitFor();
    });
  });

  it('shows where each key of the configuration is set', async () => {
    const { page } = admin;
    await admin.show('server/configuration');
    await page.getByLabel('Only keys that are set').check();
    const row = page.getByRole('row', { name: /^server\.dataDir/ });
    await row.getByText('configuration', { exact: true }).waitFor();
    expect(await page.getByRole('row', { name: /^http\.cors/ }).count()).toBe(0);
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core and no scroll bar across: %s, %i px', async (colorScheme, width) => {
    const console = await server.open({ colorScheme, width });
    await console.signIn('admin', PASSWORD);
    const aggs = { kinds: { terms: { field: 'kind' } } };
    const screens = [
      'data/city/large?live=off',
      'data/city/places?tab=settings',
      'data/city/places?depth=filters&f=[["kind","is","Park"]]',
      `data/city/places?depth=json&json=${encodeURIComponent(JSON.stringify({ aggs, size: 3 }))}`,
      'server/configuration',
    ];
    expect(await console.findingsOnAll(screens)).toEqual([]);
    await console.context.close();
  });
});
