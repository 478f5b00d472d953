/*
 * Changes in the admin console that are not saved: in a real Chromium, on a server in this process. CHROMIUM names its
 * binary, or /usr/bin/chromium is taken.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const TITLE = 'Discard your changes?';

describe.skipIf(!hasChromium())('changes in the console that are not saved', () => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const stations = { index: 'city', collection: 'stations' };

  const question = () => admin.page.getByRole('dialog', { name: TITLE });
  const bikes = () => admin.page.getByRole('textbox', { name: /^bikes/ });
  const decide = (name: 'Cancel' | 'Discard') => question().getByRole('button', { name }).click();
  const fragment = () => new URL(admin.page.url()).hash;

  beforeAll(async () => {
    server = await ConsoleServer.start();
    await server.run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD } });
    await server.run('index.create', { index: 'city' });
    await server.run('collection.create', { ...stations, body: { properties: { bikes: { type: 'integer' } } } });
    for (const _id of ['one', 'two'])
      await server.run('document.create', { ...stations, _id, body: { bikes: 1 }, refresh: 'wait_for' });
    await server.run('ms.set', { _id: 'greeting', body: { value: 'hello' } });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(() => server?.stop());

  it('are kept unless a person discards them: by Escape, the cross, another document, Back', async () => {
    const { page } = admin;
    await admin.show('data/city/stations');
    await page.getByRole('row', { name: 'Document one' }).click();
    await bikes().fill('66');
    const before = fragment();
    await page.keyboard.press('Escape');
    await decide('Cancel');
    expect(await bikes().inputValue()).toBe('66');
    await page.getByRole('row', { name: 'Document two' }).click();
    await decide('Cancel');
    await page.goBack();
    await decide('Cancel');
    expect(await bikes().inputValue()).toBe('66');
    expect(fragment()).toBe(before);
    await page.getByRole('button', { name: 'Close' }).click();
    await decide('Discard');
    await page.getByRole('complementary', { name: 'one' }).waitFor({ state: 'detached' });
    expect(fragment()).toBe('#/data/city/stations');
    expect((await server.run('document.get', { ...stations, _id: 'one' }))['_source']).toMatchObject({ bikes: 1 });
  });

  it('lets Back and Forward go on afterwards', async () => {
    const { page } = admin;
    await admin.show('people');
    await admin.show('data/city/stations?doc=one');
    await bikes().fill('7');
    await page.goBack();
    await decide('Discard');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.goBack();
    await bikes().waitFor();
    expect(await bikes().inputValue()).toBe('1');
    await page.goBack();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.goForward();
    await bikes().waitFor();
  });

  it('asks no question where the drawer stays, or nothing has changed', async () => {
    const { page } = admin;
    await admin.show('data/city/stations?doc=one');
    await bikes().fill('7');
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Paused' }).click();
    await page.getByRole('radio', { name: 'JSON' }).last().click();
    expect(await page.getByRole('textbox', { name: 'Document one' }).inputValue()).toContain('7');
    await page.getByRole('radio', { name: 'Form' }).click();
    await bikes().fill('1');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'one' }).waitFor({ state: 'detached' });
    expect(await question().count()).toBe(0);
  });

  it.each([
    ['a new document', 'data/city/stations?new=1', 'Content'],
    ['a mapping', 'data/city/stations?tab=settings', 'Mapping'],
    ['a user', 'people?id=admin', 'Content of the user'],
    ['a new role', 'people/roles?new=1', 'Name'],
    ['a value of the memory store', 'memory/greeting', 'Value'],
  ])('asks about %s, by the link to another screen and by the logout', async (_, screen, label) => {
    const { page } = admin;
    await admin.show(screen);
    const editor = page.getByRole('textbox', { name: label, exact: true });
    await editor.fill('{}');
    await page.getByRole('link', { name: 'Actions', exact: true }).click();
    await decide('Cancel');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await decide('Cancel');
    expect(await editor.inputValue()).toBe('{}');
    expect(fragment()).toBe(`#/${screen}`);
    await page.getByRole('link', { name: 'Actions', exact: true }).click();
    await decide('Discard');
    await expect.poll(fragment).toBe('#/actions');
    await editor.waitFor({ state: 'detached' });
  });

  it('asks before the tab is closed', async () => {
    const { page } = admin;
    await admin.show('people?id=admin');
    await page.getByLabel('Content of the user').fill('{}');
    const isAsked = () => page.evaluate('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
    expect(await isAsked()).toBe(true);
    await page.keyboard.press('Escape');
    await decide('Discard');
    await page.getByRole('complementary', { name: 'admin' }).waitFor({ state: 'detached' });
    expect(await isAsked()).toBe(false);
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('the question can be answered by keys and has no finding of axe-core: %s, %i px', async (...look) => {
    const [colorScheme, width] = look;
    const console = await server.open({ colorScheme, width });
    const { page } = console;
    await console.signIn('admin', PASSWORD);
    await console.show('people/roles?id=default&tab=json');
    await page.getByLabel('Content of the role').fill('{ }');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: TITLE }).waitFor();
    expect(await console.findings()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: TITLE }).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Content of the role');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByRole('complementary', { name: 'default' }).waitFor({ state: 'detached' });
    await console.context.close();
  });
});
