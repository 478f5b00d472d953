/* The palette of the console, which goes to a place by its name, in a real Chromium: see console.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';

describe.skipIf(!hasChromium())('the palette of the console', () => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const input = ({ page }: ConsolePage) => page.getByRole('combobox', { name: /^Screen, collection/ });
  const options = ({ page }: ConsolePage) => page.getByRole('listbox', { name: 'Destinations' }).getByRole('option');
  const openAt = async (console: ConsolePage, text: string) => {
    await console.page.keyboard.press('Control+k');
    await input(console).fill(text);
  };

  beforeAll(async () => {
    server = await ConsoleServer.start();
    for (const index of ['city', 'shop']) await server.run('index.create', { index });
    await server.run('collection.create', { index: 'city', collection: 'stations' });
    await server.run('collection.create', { index: 'shop', collection: 'orders' });
    const users = Array.from({ length: 120 }, (_, number) => `member-${String(number).padStart(3, '0')}`);
    for (const _id of [...users, 'ada'])
      await server.run('security.createUser', { _id, body: { profileIds: ['default'], password: PASSWORD } });
    await server.run('security.createUser', { _id: 'admin', body: { profileIds: ['admin'], password: PASSWORD } });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
    // A user with a limited view: one collection, no other screen.
    const actions = { actions: { list: true } };
    await server.run('security.createRole', { _id: 'lister', body: { controllers: { index: actions } } });
  }, 120_000);
  afterAll(() => server?.stop());

  it('is loaded at its first use, and goes to screens, collections, actions and users by keys alone', async () => {
    const { page } = admin;
    const isLoaded = () =>
      page.evaluate('performance.getEntriesByType("resource").some(({ name }) => name.includes("Palette"))');
    expect(await isLoaded()).toBe(false);
    await page.keyboard.press('Control+k');
    await input(admin).waitFor();
    expect(await isLoaded()).toBe(true);
    await expect.poll(() => options(admin).locator('bdi').allTextContents()).toContain('shop / orders');
    expect(await admin.findings()).toEqual([]);
    for (const [text, first, hash] of [
      ['peo', 'People', '#/people'],
      ['or', 'shop / orders', '#/data/shop/orders'],
      ['stat', 'city / stations', '#/data/city/stations'],
      ['orders collection', 'shop / orders', '#/data/shop/orders'],
      ['document.cou', 'document.count', '#/actions/document.count'],
      ['ada user', 'ada', '#/people/users?id=ada'],
      // Not among the first users that are listed.
      ['member-119', 'member-119', '#/people/users?id=member-119'],
    ] as const) {
      if ((await input(admin).count()) === 0) await page.keyboard.press('Control+k');
      await input(admin).fill(text);
      await expect.poll(() => options(admin).first().locator('bdi').textContent()).toBe(first);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate('location.hash')).toBe(hash);
      await input(admin).waitFor({ state: 'detached' });
    }
    await page.getByRole('complementary', { name: 'member-119' }).waitFor();
  });

  it('moves by arrows, closes by Escape, and gives the focus back', async () => {
    const { page } = admin;
    await admin.show('data');
    const place = page.getByRole('link', { name: 'Memory' });
    await place.focus();
    await openAt(admin, 'screen');
    const selected = () => options(admin).and(page.locator('[aria-selected=true]'));
    expect(await selected().locator('bdi').textContent()).toBe('Data');
    await page.keyboard.press('ArrowDown');
    expect(await selected().locator('bdi').textContent()).toBe('Realtime');
    expect(await input(admin).getAttribute('aria-activedescendant')).toBe(await selected().getAttribute('id'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await selected().locator('bdi').textContent()).toBe(
      await options(admin).last().locator('bdi').textContent(),
    );
    await input(admin).fill('nothing like this');
    await page.getByText('Nothing has this name').waitFor();
    await page.keyboard.press('Escape');
    await input(admin).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Memory');
  });

  it('asks before changes are lost, as every link', async () => {
    const { page } = admin;
    await server.run('document.createOrReplace', {
      index: 'city',
      collection: 'stations',
      _id: 's',
      body: { name: 'A' },
    });
    await admin.show('data/city/stations?doc=s');
    await page.getByRole('textbox', { name: /^name/ }).fill('B');
    await openAt(admin, 'people');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).waitFor();
    // Over a question there is no palette.
    await page.keyboard.press('Control+k');
    expect(await input(admin).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/people');
  });

  it('offers what the user may see, also on a phone', async () => {
    const phone = await server.open({ width: 390, colorScheme: 'dark' });
    await phone.signIn('ada', PASSWORD);
    await phone.page.getByRole('button', { name: 'Go to…' }).click();
    await expect.poll(() => options(phone).locator('bdi').allTextContents()).toContain('Your account');
    const names = await options(phone).locator('bdi').allTextContents();
    expect(names.filter((name) => name.startsWith('member') || name === 'People' || name === 'Data')).toEqual([]);
    expect(await phone.findings()).toEqual([]);
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await options(phone).getByText('Your account').click();
    await phone.page.getByRole('heading', { name: 'ada' }).waitFor();
    await phone.context.close();
  });
});
