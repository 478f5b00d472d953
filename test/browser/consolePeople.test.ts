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
    await page.getByRole('button', { name: 'Delete in everywhere else: all' }).click();
    await page.getByRole('button', { name: 'Change in everywhere else: all' }).waitFor();
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
    await tryIt({ Action: 'document.delete', Document: 'of-ada' });
    await answer.getByText('ada may not run document.delete on city / stations / of-ada').waitFor();
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
