/* The map of the console in a real Chromium: see console.test.ts. A request to another origin fails the file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const MAPPING = {
  properties: { name: { type: 'keyword' }, place: { type: 'geo_point' }, other: { type: 'geo_point' } },
};

/** In each form that a point may have. */
const PLACES = {
  london: { lat: 51.5, lon: -0.12 },
  paris: '48.86,2.35',
  berlin: [13.4, 52.52],
  rome: 'POINT (12.5 41.9)',
  madrid: { type: 'Point', coordinates: [-3.7, 40.42] },
  lisbon: 'eyckr',
  oslo: [[10.75, 59.91], { lat: 59.8, lon: 10.8 }],
  tokyo: { lat: 35.68, lon: 139.7 },
};

interface JsonBody {
  readonly query: {
    readonly bool: {
      readonly must: unknown;
      readonly filter: readonly {
        readonly geo_bounding_box: { readonly place: { readonly top: number; readonly bottom: number } };
      }[];
    };
  };
}

describe.skipIf(!hasChromium())('the map of a collection', () => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const towns = { index: 'world', collection: 'towns' };
  const map = () => admin.page.getByRole('application', { name: /^Map of place/ });
  const listed = () => admin.page.getByRole('list', { name: 'Documents in this part' }).getByRole('button');
  const ids = async () => {
    const texts = await listed().locator('bdi:first-child').allTextContents();
    return texts.sort();
  };

  beforeAll(async () => {
    server = await ConsoleServer.start();
    await server.run('index.create', { index: 'world' });
    await server.run('collection.create', { ...towns, body: MAPPING });
    const placed = Object.entries(PLACES).map(([_id, place]) => ({ _id, body: { name: _id.toUpperCase(), place } }));
    const documents = [...placed, { _id: 'atlantis', body: { name: 'ATLANTIS' } }];
    await server.run('document.mCreateOrReplace', { ...towns, body: { documents }, refresh: 'wait_for' });
    await server.run('security.createUser', { _id: 'admin', body: { profileIds: ['admin'], password: PASSWORD } });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(() => server?.stop());

  it('is loaded when it is shown, with the documents that have a point, whatever its form', async () => {
    const { page } = admin;
    await admin.show('data/world/towns');
    await page.getByRole('row', { name: 'Document london' }).waitFor();
    const isLoaded = () =>
      page.evaluate('performance.getEntriesByType("resource").some(({ name }) => name.includes("DocumentMap"))');
    expect(await isLoaded()).toBe(false);
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await map().waitFor();
    expect(await isLoaded()).toBe(true);
    await expect.poll(ids).toEqual(Object.keys(PLACES).sort());
    await page.getByText('8 of 8 in this part').waitFor();
    await listed()
      .filter({ hasText: /^london LONDON$/ })
      .waitFor();
    expect(await page.locator('.map-frame .land').count()).toBe(1);
    // One point for each, but two of Oslo.
    const drawn = async () =>
      ((await page.locator('.map-frame .points').first().getAttribute('d')) ?? '').split('M').length - 1;
    expect(await drawn()).toBe(9);
    expect(await admin.findings()).toEqual([]);
    // Another field.
    await page.getByRole('combobox', { name: /^Map of/ }).selectOption('other');
    await page.getByText('No document has a point in other').waitFor();
    await page.goBack();
    await map().waitFor();
  });

  it('is moved and zoomed by keys, and a document opens from the list', async () => {
    const { page } = admin;
    await map().focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(ids).toEqual([]);
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(ids).toEqual(['tokyo']);
    await page.keyboard.press('0');
    await expect.poll(ids).toEqual(Object.keys(PLACES).sort());
    expect(await page.getByRole('button', { name: 'All points' }).isDisabled()).toBe(true);
    await listed().filter({ hasText: 'paris' }).press('Enter');
    await page.getByRole('complementary', { name: 'paris' }).waitFor();
    expect(await page.locator('.map-frame .marked').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'paris' }).waitFor({ state: 'detached' });
    await map().waitFor();
  });

  it('is dragged and zoomed by the pointer, and a click on a point opens its document', async () => {
    const { page } = admin;
    await admin.show('data/world/towns?map=place&q=ROME');
    await expect.poll(ids).toEqual(['rome']);
    // The only point is in the middle, too near for outlines.
    expect(await page.locator('.map-frame .land').count()).toBe(0);
    const box = await map().boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y + 40, { steps: 3 });
    await page.mouse.up();
    await page.mouse.click(x, y);
    expect(await page.getByRole('complementary').filter({ hasText: 'rome' }).count()).toBe(0);
    await page.mouse.click(x + 100, y + 40);
    await page.getByRole('complementary', { name: 'rome' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'rome' }).waitFor({ state: 'detached' });
    await page.mouse.move(x, y);
    for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, 900);
    await expect.poll(() => page.locator('.map-frame .land').count()).toBe(1);
  });

  it('makes its part a filter, of each depth of the query', async () => {
    const { page } = admin;
    const filter = () => page.getByRole('button', { name: 'Filter by this part' }).click();
    const show = async (query: string, expected: readonly string[]) => {
      await admin.show(`data/world/towns?map=place&${query}`);
      await expect.poll(ids).toEqual(expected);
    };
    await show('f=[["name","is","TOKYO"]]&depth=filters', ['tokyo']);
    await filter();
    await page.getByText(/^place in the box 35\.\d+, 139/).waitFor();
    await page.getByRole('button', { name: 'Remove name = TOKYO' }).click();
    await expect.poll(ids).toEqual(['tokyo']);
    // A second box takes the place of the first one.
    await map().focus();
    await page.keyboard.press('+');
    await filter();
    await page.getByText(/^place in the box/).waitFor();
    await expect.poll(() => page.getByText(/^place in the box/).count()).toBe(1);
    expect(await ids()).toEqual(['tokyo']);
    // Words can't have a box: the query becomes JSON.
    await show('q=MADRID', ['madrid']);
    await filter();
    await page.getByLabel('Body of the search').waitFor();
    const body = async () => JSON.parse(await page.getByLabel('Body of the search').inputValue()) as JsonBody;
    const first = await body();
    expect(first.query.bool.must).toEqual([
      { simple_query_string: { query: 'MADRID', default_operator: 'and', lenient: true } },
    ]);
    const topOf = ({ query }: JsonBody) => query.bool.filter[0]?.geo_bounding_box.place.top ?? 0;
    expect(first.query.bool.filter[0]?.geo_bounding_box.place.bottom).toBeLessThan(40.42);
    expect(topOf(first)).toBeGreaterThan(40.42);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await filter();
    await expect.poll(async () => topOf(await body())).toBeGreaterThan(topOf(first));
    expect((await body()).query.bool.filter).toHaveLength(1);
    expect(await ids()).toEqual(['madrid']);
    // A box by hand, and one that is wrong.
    await show('depth=filters&f=[["place","within","60, -10, 45, 20"]]', ['berlin', 'london', 'oslo', 'paris']);
    await admin.show('data/world/towns?depth=filters&f=[["place","within","60, west, 45, 20"]]');
    await page.getByRole('alert').getByText('west').waitFor();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core and no scroll bar across: %s, %i px', async (colorScheme, width) => {
    const console = await server.open({ colorScheme, width });
    await console.signIn('admin', PASSWORD);
    expect(await console.findingsOnAll(['data/world/towns?map=place', 'data/world/towns?map=place&doc=rome'])).toEqual(
      [],
    );
    await console.context.close();
  });
});
