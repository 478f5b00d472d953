/*
 * Every screen of the console as a user with few rights, and with hostile names and values, in a real Chromium: see
 * console.test.ts. With MILLRACE_TEST_ELASTICSEARCH on Elasticsearch and Redis as well.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';
import { CONSOLE_ENGINES } from './openConsoleEngines.js';

const PASSWORD = 'correct horse battery';
/** Without dots, which would make a path of a field name. */
const HOSTILE = `<img src=x onerror="broken=1"><script>broken=1</script>\u202Egnp`;
const stations = { index: 'city', collection: 'stations' };

describe.skipIf(!hasChromium()).each(CONSOLE_ENGINES)('the screens of the console, %s', (engine) => {
  let server: ConsoleServer;
  const run: ConsoleServer['run'] = (action, fields) => server.run(action, fields);

  beforeAll(async () => {
    server = await ConsoleServer.start({ engine });
    await run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD }, reset: true });
    await run('index.create', { index: 'city' });
    const properties = { name: { type: 'keyword' }, opened: { type: 'date' } };
    await run('collection.create', { ...stations, body: { properties } });
    await run('document.create', { ...stations, _id: 'one', body: { name: 'Mill Lane' }, refresh: 'wait_for' });
    await run('ms.set', { _id: 'greeting', body: { value: 'hello' } });
  });
  afterAll(() => server?.stop());

  /** The states of the parts of a screen once it has loaded. */
  const statesOf = async (admin: ConsolePage, screen: string): Promise<readonly string[]> => {
    const { page } = admin;
    await admin.show(screen);
    await page.waitForLoadState('networkidle');
    let states: readonly string[] = [];
    const read = async () => {
      const parts = page.locator('[data-state]');
      states = await parts.evaluateAll((all) => all.map((each) => each.getAttribute('data-state') ?? ''));
      return states;
    };
    await expect.poll(read).not.toContain('loading');
    return states;
  };

  it('say what is missing to a user with few rights, and show what is allowed', async () => {
    const actions = { document: { actions: { search: true, get: true } }, index: { actions: { list: true } } };
    const own = { auth: { actions: { getCurrentUser: true, getMyRights: true } } };
    await run('security.createRole', { _id: 'few', body: { controllers: { ...actions, ...own } } });
    await run('security.createProfile', { _id: 'few', body: { policies: [{ roleId: 'few' }] } });
    await run('security.createUser', { _id: 'few', body: { profileIds: ['few'], password: PASSWORD } });
    const few = await server.open();
    await few.signIn('few', PASSWORD);
    const allowed = {
      data: 'empty',
      'data/city/stations': 'rows',
      'data/city/stations?doc=one': 'read-only',
      'plugins/none': 'empty',
    };
    const refused = [
      ...['data/city/stations?tab=settings', 'realtime', 'memory', 'memory/greeting', 'actions', 'account'],
      ...['actions/document.count', 'people', 'people/profiles', 'people/roles', 'people?id=admin'],
      ...['server', 'server/statistics', 'server/log', 'server/backups', 'server/move', 'server/configuration'],
    ];
    const expected = { ...allowed, ...Object.fromEntries(refused.map((screen) => [screen, 'no-right'])) };
    for (const [screen, state] of Object.entries(expected)) {
      const states = await statesOf(few, screen);
      expect([screen, states]).toEqual([screen, expect.arrayContaining([state])]);
      expect([screen, states.includes('error')]).toEqual([screen, false]);
      expect([screen, await few.findings()]).toEqual([screen, []]);
    }
    await few.context.close();
  });

  it('show an error of their code in their place, and the others go on', async () => {
    const admin = await server.open();
    const { page } = admin;
    await admin.signIn('admin', PASSWORD);
    await page.route('**/_message/server/getAllStats*', async (route) => {
      const answer = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...answer, result: { hits: [null] } } });
    });
    await admin.show('server/statistics');
    await page.locator('[data-state="error"]').waitFor();
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByRole('button', { name: 'admin' }).waitFor();
    expect(await page.locator('[data-state="error"]').count()).toBe(0);
    await admin.context.close();
  });

  it('show hostile names and values as text', async () => {
    const collection = 'hostile';
    const place = { index: 'city', collection };
    const properties = { [HOSTILE]: { type: 'keyword' }, opened: { type: 'date' } };
    await run('collection.create', { ...place, body: { properties } });
    const body = { [HOSTILE]: HOSTILE, nested: { [HOSTILE]: [HOSTILE] } };
    await run('document.create', { ...place, _id: HOSTILE, body, refresh: 'wait_for' });
    await run('realtime.changes', place);
    await run('document.update', { ...place, _id: HOSTILE, body: { [HOSTILE]: `${HOSTILE}2` }, refresh: 'wait_for' });
    const controllers = { [HOSTILE]: { actions: { [HOSTILE]: true } }, document: { actions: { [HOSTILE]: true } } };
    await run('security.createRole', { _id: HOSTILE, body: { controllers } });
    await run('security.createProfile', { _id: HOSTILE, body: { policies: [{ roleId: HOSTILE }] } });
    await run('security.createUser', {
      _id: HOSTILE,
      body: { profileIds: [HOSTILE], password: PASSWORD, [HOSTILE]: HOSTILE },
    });
    await run('ms.hset', { _id: HOSTILE, body: { field: HOSTILE, value: HOSTILE } });
    await run('collection.updateSpecifications', {
      body: { city: { [collection]: { fields: { name: { type: 'string', defaultValue: HOSTILE } } } } },
    });
    const admin = await server.open();
    const { page } = admin;
    await admin.signIn('admin', PASSWORD);
    const id = encodeURIComponent(HOSTILE);
    const aggs = { [HOSTILE]: { terms: { field: HOSTILE } } };
    for (const screen of [
      ...['data', 'data/city/hostile', `data/city/hostile?doc=${id}`, `data/city/hostile?doc=${id}&tab=documents`],
      ...[
        `data/city/hostile?chart=${id}`,
        `data/city/hostile?depth=filters&f=${encodeURIComponent(JSON.stringify([[HOSTILE, 'is', HOSTILE]]))}`,
      ],
      `data/city/hostile?depth=json&json=${encodeURIComponent(JSON.stringify({ aggs }))}`,
      ...['data/city/hostile?tab=settings', `data/${id}/${id}`, `actions/${id}`, 'memory', `memory/${id}`],
      ...[
        'realtime?index=city&collection=hostile',
        'people',
        `people?id=${id}`,
        `people?id=${id}&tab=try`,
        'people/profiles',
      ],
      ...[`people/profiles?id=${id}`, 'people/roles', `people/roles?id=${id}`, `people/roles?id=${id}&tab=holders`],
      ...[`server/${id}`, 'server/log', `plugins/${id}`, id],
    ]) {
      await statesOf(admin, screen);
      expect([screen, await page.evaluate('window.broken')]).toEqual([screen, undefined]);
      expect([screen, await page.locator('#console img, #console script').count()]).toEqual([screen, 0]);
    }
    await statesOf(admin, 'people/roles');
    await page.getByRole('button', { name: HOSTILE }).waitFor();
    await admin.context.close();
  });
});
