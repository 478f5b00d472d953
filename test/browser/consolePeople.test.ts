/*
 * People and rights in the admin console, in a real Chromium, on a server in this process: CHROMIUM names its binary, or
 * /usr/bin/chromium is taken. An error of a script or a violation of the policy fails the file.
 */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const HOSTILE = '<img src=x onerror="window.broken=1">';
const MEMBER = {
  indexes: {
    city: {
      collections: {
        stations: {
          controllers: {
            document: {
              actions: {
                ...{ get: true, mGet: true, count: true, scroll: true },
                search: { documents: { term: { owner: { $ref: 'user._id' } } }, fields: { except: ['salary'] } },
              },
            },
          },
        },
      },
    },
  },
};

describe.skipIf(!hasChromium())('people and rights in the console', () => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const stations = { index: 'city', collection: 'stations' };

  const roleOf = async (_id: string) => (await server.run('security.getRole', { _id }))['_source'];
  const drawerOf = (name: string) => admin.page.getByRole('complementary', { name, exact: true });

  beforeAll(async () => {
    server = await ConsoleServer.start();
    await server.run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD } });
    await server.run('index.create', { index: 'city' });
    await server.run('collection.create', {
      ...stations,
      body: { properties: { owner: { type: 'keyword' } } },
    });
    await server.run('security.createRole', { _id: 'member', body: MEMBER });
    const policies = [{ roleId: 'member' }, { roleId: 'default' }];
    await server.run('security.createProfile', { _id: 'members', body: { policies } });
    await server.run('security.createUser', { _id: 'ada', body: { profileIds: ['members'], password: PASSWORD } });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(() => server?.stop());

  it('shows a role as a table of collections, and changes it there', async () => {
    const { page } = admin;
    await admin.show('people/roles?id=member');
    const table = page.getByRole('table', { name: 'Rights on documents' });
    await table.getByRole('button', { name: 'Read in city / stations: limited' }).click();
    await page
      .getByText('documents that match {"term":{"owner":{"$ref":"user._id"}}}; all fields but salary')
      .waitFor();
    await table.getByRole('button', { name: 'Delete in city / stations: no' }).click();
    await table.getByRole('button', { name: 'Delete in city / stations: all' }).waitFor();
    await page.getByLabel('document.count', { exact: true }).selectOption('denied');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const { actions } = MEMBER.indexes.city.collections.stations.controllers.document;
    const changed = { ...actions, count: false, delete: true, mDelete: true, deleteByQuery: true };
    const controllers = { document: { actions: changed } };
    expect(await roleOf('member')).toEqual({ indexes: { city: { collections: { stations: { controllers } } } } });
    await table.getByRole('button', { name: 'Delete in city / stations: all' }).click();
    await page.getByLabel('document.count', { exact: true }).selectOption('allowed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    expect(await roleOf('member')).toEqual(MEMBER);
  });

  it('keeps what an entry * allows when one action is taken away', async () => {
    const { page } = admin;
    const all = { controllers: { '*': { actions: { '*': true } } } };
    await server.run('security.createRole', { _id: 'everything', body: all });
    await admin.show('people/roles?id=everything');
    await page.getByRole('button', { name: 'Delete in everywhere: all' }).click();
    await page.getByRole('button', { name: 'Change in everywhere: all' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const actions = { '*': true, delete: false, mDelete: false, deleteByQuery: false };
    expect(await roleOf('everything')).toEqual({ controllers: { ...all.controllers, document: { actions } } });
  });

  it('creates a role with limits, and shows names that the server does not know', async () => {
    const { page } = admin;
    await admin.show('people/roles?new=1');
    await page.getByLabel('Name', { exact: true }).fill('clerk');
    await page.getByRole('radio', { name: 'JSON' }).click();
    await page
      .getByLabel('Content of the role')
      .fill('{"controllers": {"document": {"actions": {"gte": true}}, "no": {"actions": {}}}}');
    await page.getByRole('radio', { name: 'Rights' }).click();
    await page.getByText('doesn’t know document.gte, the controller no').waitFor();
    await page.getByRole('button', { name: 'Remove no', exact: true }).click();
    await page.getByLabel('document.gte', { exact: true }).selectOption('');
    await page.getByLabel('document.get', { exact: true }).selectOption('limited');
    const dialog = page.getByRole('dialog', { name: 'Limit document.get' });
    const limit = { fields: { only: ['name'] } };
    await dialog.getByLabel('Right').fill('{');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Right').fill(JSON.stringify(limit));
    await dialog.getByRole('button', { name: 'Set' }).click();
    await page.getByRole('textbox', { name: 'Index' }).fill('city');
    await page.getByRole('button', { name: 'Add the collection' }).click();
    await page.getByRole('button', { name: 'Read in city / *: no' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('cell', { name: 'clerk' }).waitFor();
    const read = { get: true, mGet: true, search: true, count: true, scroll: true };
    expect(await roleOf('clerk')).toEqual({
      indexes: {
        '*': { collections: { '*': { controllers: { document: { actions: { get: limit } } } } } },
        city: { collections: { '*': { controllers: { document: { actions: read } } } } },
      },
    });
  });

  it('shows the roles of a profile, and who has a role or a profile', async () => {
    const { page } = admin;
    await admin.show('people/roles?id=member&tab=holders');
    await drawerOf('member').getByRole('link', { name: 'ada' }).waitFor();
    await drawerOf('member').getByRole('link', { name: 'members' }).click();
    const group = page.getByRole('group', { name: 'member' });
    await group.getByLabel('Restricted to').fill('city/stations, library');
    await page.getByLabel('Add a role').selectOption('clerk');
    await page.getByRole('group', { name: 'clerk' }).waitFor();
    await page.getByRole('group', { name: 'default' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    expect((await server.run('security.getProfile', { _id: 'members' }))['_source']).toMatchObject({
      policies: [
        { roleId: 'member', restrictedTo: [{ index: 'city', collections: ['stations'] }, { index: 'library' }] },
        { roleId: 'clerk' },
      ],
    });
    const policies = [{ roleId: 'member' }, { roleId: 'default' }];
    await server.run('security.createOrReplaceProfile', { _id: 'members', body: { policies } });
    await page.getByRole('radio', { name: 'Who has it' }).click();
    await drawerOf('members').getByRole('link', { name: 'ada' }).waitFor();
    await admin.show('people/roles?id=clerk&tab=holders');
    await page.getByText('No profile names this role').waitFor();
  });

  it('says whether a user may do something, by which role, on which documents and fields', async () => {
    const { page } = admin;
    for (const owner of ['ada', 'bob', 'mia']) {
      const body = { owner, salary: 3 };
      await server.run('document.createOrReplace', { ...stations, _id: `of-${owner}`, body, refresh: 'wait_for' });
    }
    await admin.show('people?id=ada&tab=try');
    const answer = page.getByRole('status', { name: 'Answer' });
    const tryIt = async (values: Readonly<Record<string, string>>) => {
      for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Try it' }).click();
    };
    await tryIt({ Action: 'document.search', Index: 'city', Collection: 'stations' });
    await answer.getByText('ada may run document.search on city / stations').waitFor();
    await answer.getByText('granted by role "member"').waitFor();
    await answer.getByText('Fields: all but salary').waitFor();
    await answer.getByText('1 of 3 documents.').waitFor();
    // Next to what the administrator sees.
    const seen = answer.getByRole('region', { name: 'Documents as ada sees them' });
    const own = seen.getByRole('table', { name: 'Document of-ada' });
    expect(await own.getByRole('row').allInnerTexts()).toEqual([
      'Field\tYou see\tada sees',
      'owner\tada\tada',
      'salary\t3\thidden',
    ]);
    await seen.getByText('1 field hidden').waitFor();
    const foreign = seen.getByRole('table', { name: 'Document of-bob' });
    expect(await foreign.getByRole('row').allInnerTexts()).toEqual([
      'Field\tYou see\tada sees',
      'owner\tbob\thidden',
      'salary\t3\thidden',
    ]);
    expect(await seen.getByText('not seen').count()).toBe(2);
    expect(await admin.findings()).toEqual([]);
    await seen.getByLabel('Words in the documents').fill('mia');
    await seen.getByRole('button', { name: 'Find' }).click();
    await own.waitFor({ state: 'detached' });
    expect(await seen.getByRole('table').count()).toBe(1);
    await tryIt({ Action: 'document.delete', Document: 'of-ada' });
    await answer.getByText('ada may not run document.delete on city / stations / of-ada').waitFor();
    expect(await seen.count()).toBe(0);
    await tryIt({ Action: 'document.search', Document: '' });
    await answer.getByRole('link', { name: 'Show them' }).click();
    await page.getByRole('row', { name: 'Document of-ada' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await admin.show('people/roles?id=member&tab=try');
    await tryIt({ User: '-1', Action: 'document.get', Index: 'city', Collection: 'stations' });
    await answer.getByText('A caller without a login may not run document.get').waitFor();
    await tryIt({ User: 'no-such-user' });
    await page.getByRole('alert').getByText('no-such-user').waitFor();
  });

  it('can be used by keys: tabs, the table, a list of actions, the way back', async () => {
    const { page } = admin;
    await admin.show('people/roles?id=member');
    const cell = (state: string) => page.getByRole('button', { name: `Create in city / stations: ${state}` });
    await cell('no').press('Enter');
    await cell('all').press('Space');
    await page.getByText('city / stations', { exact: true }).last().press('Enter');
    await page.getByLabel('document.count', { exact: true }).press('d');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('radio', { name: 'Rights' }).press('ArrowRight');
    expect(await page.getByLabel('Content of the role').inputValue()).toContain('"count": false');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).press('Enter');
    await drawerOf('member').waitFor({ state: 'detached' });
    expect(await roleOf('member')).toEqual(MEMBER);
  });

  it('adds a controller with the rights that * gave, and deletes a role for good', async () => {
    const { page } = admin;
    const body = { controllers: { '*': { actions: { get: true } } } };
    await server.run('security.createRole', { _id: 'short-lived', body });
    await admin.show('people/roles?id=short-lived');
    await page.getByLabel('Add a controller').selectOption('document');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const same = { actions: { get: true } };
    expect(await roleOf('short-lived')).toEqual({ controllers: { '*': same, document: same } });
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await drawerOf('short-lived').waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    expect(await server.answer('security.getRole', { _id: 'short-lived' })).toMatchObject({ error: { status: 404 } });
  });

  it('shows rights as text to who may only read them', async () => {
    const actions = { searchUsers: true, searchRoles: true, getRole: true };
    await server.run('security.createRole', { _id: 'auditor', body: { controllers: { security: { actions } } } });
    const policies = [{ roleId: 'auditor' }, { roleId: 'default' }];
    await server.run('security.createProfile', { _id: 'auditors', body: { policies } });
    await server.run('security.createUser', { _id: 'eve', body: { profileIds: ['auditors'], password: PASSWORD } });
    const eve = await server.open();
    await eve.signIn('eve', PASSWORD);
    await eve.show('people/roles?id=member');
    const { page } = eve;
    await page.getByText('Your roles let you read this role, not change it.').waitFor();
    const table = page.getByRole('table', { name: 'Rights on documents' });
    expect(await table.getByText('limited').count()).toBe(1);
    expect(await table.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('complementary').getByRole('combobox').count()).toBe(0);
    expect(await page.getByRole('radio', { name: 'Try it' }).count()).toBe(0);
    await page.getByRole('radio', { name: 'Who has it' }).click();
    await page.locator('[data-state="no-right"]').waitFor();
    await eve.context.close();
  });

  it('creates, rotates and deletes the API keys of a user, and shows each secret once', async () => {
    const { page } = admin;
    await admin.show('people?id=ada&tab=keys');
    await page.getByText('No API keys').waitFor();
    const secret = page.getByRole('status', { name: 'The new key' });
    const isValid = async (token: string) => (await server.run('auth.checkToken', { token }))['valid'];
    await page.getByLabel('Name of the key').fill('nightly');
    await page.getByLabel('Lasts').selectOption('7');
    await page.getByLabel(/^Only the rights/).fill('no-such-role');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('alert').getByText('no-such-role').waitFor();
    await page.getByLabel(/^Only the rights/).fill('member');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const first = (await secret.locator('pre').textContent()) ?? '';
    expect(await isValid(first)).toBe(true);
    const card = page.getByRole('article', { name: 'nightly' });
    await card.getByText('those of member').waitFor();
    await card.getByText('never', { exact: true }).waitFor();
    await secret.getByRole('button', { name: 'Hide it' }).click();
    expect(await page.content()).not.toContain(first);
    await card.getByRole('button', { name: 'Rotate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const second = (await secret.locator('pre').textContent()) ?? '';
    expect(second).not.toBe(first);
    expect(await isValid(second)).toBe(true);
    await card.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No API keys').waitFor();
    expect([await isValid(first), await isValid(second)]).toEqual([false, false]);
  });

  it('creates own API keys, with the password if the login is some minutes ago', async () => {
    const { page } = admin;
    await page.getByRole('link', { name: 'admin', exact: true }).click();
    await page.getByRole('heading', { name: 'admin' }).waitFor();
    const error = { id: 'auth.recent_login_needed', status: 403, message: 'Log in again, or send currentPassword' };
    await page.route(
      '**/_message/auth/createApiKey',
      (route) => route.fulfill({ status: 403, json: { status: 403, requestId: 'r', result: null, error } }),
      { times: 1 },
    );
    await page.getByLabel('Name of the key').fill('mine');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByLabel(/^Your password/).fill('wrong');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel(/^Your password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('article', { name: 'mine' }).waitFor();
    expect(await page.getByLabel(/^Your password/).count()).toBe(0);
  });

  it('reads the rights again when a role changes, without a reload', async () => {
    const ada = await server.open();
    await ada.signIn('ada', PASSWORD);
    const screens = ada.page.getByRole('navigation', { name: 'Screens' });
    expect(await screens.getByRole('link').allTextContents()).toEqual(['Actions', 'Server']);
    const list = { controllers: { index: { actions: { list: true } }, collection: { actions: { list: true } } } };
    await server.run('security.createRole', { _id: 'lister', body: list });
    const grant = (...roles: string[]) => {
      const policies = ['member', 'default', ...roles].map((roleId) => ({ roleId }));
      return server.run('security.createOrReplaceProfile', { _id: 'members', body: { policies } });
    };
    await grant('lister');
    // As when the user comes back to the page.
    await ada.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await screens.getByRole('link', { name: 'Data' }).waitFor();
    await ada.page.getByRole('button', { name: 'Try again' }).click();
    await ada.page.getByRole('link', { name: 'stations' }).waitFor();
    await grant();
    // The server refuses what the page still offers.
    await ada.show('actions/index.list');
    await expect
      .poll(async () => {
        await ada.page.getByRole('button', { name: 'Run' }).click();
        return screens.getByRole('link').allTextContents();
      })
      .toEqual(['Actions', 'Server']);
    await ada.context.close();
  });

  it('signs a user out everywhere, by an administrator and by the user', async () => {
    const [first, second] = [await server.open(), await server.open()];
    for (const page of [first, second]) await page.signIn('ada', PASSWORD);
    await first.page.getByRole('link', { name: 'ada', exact: true }).click();
    await first.page.getByText('Your roles give you no API keys').waitFor();
    await first.page.getByRole('button', { name: 'Sign out everywhere…' }).click();
    await first.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.show('server/statistics');
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.signIn('ada', PASSWORD);
    await admin.show('people?id=ada&tab=keys');
    await admin.page.getByRole('button', { name: 'Sign out everywhere…' }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await admin.page.getByText('All sessions have ended.').waitFor();
    await second.show('actions');
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    for (const { context } of [first, second]) await context.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core and no scroll bar across: %s, %i px', async (colorScheme, width) => {
    const console = await server.open({ colorScheme, width });
    await console.signIn('admin', PASSWORD);
    const screens = [
      ...['people/roles?id=member', 'people/roles?id=default', 'people/roles?id=member&tab=holders'],
      ...['people/profiles?id=members', 'people?id=ada&tab=try', 'people?id=ada&tab=keys', 'account'],
    ];
    expect(await console.findingsOnAll(screens)).toEqual([]);
    await console.context.close();
  });

  it('shows hostile names as text', async () => {
    const { page } = admin;
    const names = { [HOSTILE]: { actions: { [HOSTILE]: true, __proto__x: true } } };
    const body: JsonObject = {
      indexes: { [HOSTILE.toLowerCase()]: { collections: { [HOSTILE]: { controllers: names } } } },
    };
    await server.run('security.createRole', { _id: HOSTILE, body });
    await admin.show('people/profiles');
    await admin.show('people/roles');
    await page.getByRole('button', { name: HOSTILE }).click();
    await page.getByText(`doesn’t know the controller ${HOSTILE}`).waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await page.locator('#console img').count()).toBe(0);
  });
});
