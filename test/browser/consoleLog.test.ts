/* The console's log screen, in a real Chromium on the log of a real process. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@millrace/kernel';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMillrace, type MillraceProcess } from '../process/runMillrace.js';
import { ConsolePage } from './ConsolePage.js';
import { hasChromium, openChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const HOSTILE = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;
const built = (path: string) => fileURLToPath(new URL(`../../${path}/dist/index.js`, import.meta.url));

/** A plugin that logs what it is sent. */
const LOUD = `
import { definePlugin } from ${JSON.stringify(built('packages/kernel'))};
export default definePlugin({
  name: 'loud',
  kernel: '^0.1.0',
  setup(host) {
    host.controller([{
      controller: 'loud', action: 'log', summary: 'Logs.', routes: [{ method: 'POST', path: '/_loud' }], args: {}, writes: true,
      run: ({ request }) => {
        for (const { level, fields, message, stack } of request.body.lines)
          host.log[level]({ ...fields, ...(stack && { err: new Error(stack) }) }, message);
        return {};
      },
    }]);
  },
});`;

describe.skipIf(!hasChromium())('the log in the console', () => {
  let folder = '';
  let server: MillraceProcess;
  let browser: Browser;
  let admin: ConsolePage;
  let url = '';
  let authorization = '';

  const post = async (path: string, body: JsonObject) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return ((await response.json()) as { result: Record<string, string> }).result;
  };
  const log = (...lines: readonly JsonObject[]) => post('/_loud', { lines });
  const rows = () => admin.page.getByRole('list', { name: 'Lines of the log' }).getByRole('listitem');
  const row = (text: string) => rows().filter({ hasText: text });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-console-log-'));
    await writeFile(join(folder, 'loud.mjs'), LOUD);
    const plugins = [built('plugins/console'), './loud.mjs'];
    await writeFile(
      join(folder, 'millrace.config.json'),
      JSON.stringify({ plugins, console: { enabled: true }, log: { level: 'debug' } }),
    );
    server = runMillrace(folder, ['--http.port', '0']);
    url = await server.listening;
    await post('/_createFirstAdmin', { _id: 'admin', password: PASSWORD });
    const { jwt } = await post('/_login/local', { username: 'admin', password: PASSWORD });
    authorization = `Bearer ${jwt}`;
    browser = await openChromium();
    admin = await ConsolePage.open(browser, url);
    await admin.signIn('admin', PASSWORD);
  });
  afterAll(async () => {
    await browser?.close();
    server?.signal('SIGTERM');
    await server?.ended;
    await rm(folder, { recursive: true, force: true });
    expect(admin?.problems).toEqual([]);
  });

  it('shows the lines since the start, then those that follow, the newest first, as text', async () => {
    await admin.show('server/log');
    await row('started').first().waitFor();
    await log({ level: 'warn', message: HOSTILE, fields: { [HOSTILE]: HOSTILE, name: 'a\u202eb' } });
    await row(HOSTILE).waitFor();
    await expect.poll(() => rows().first().textContent()).toContain(HOSTILE);
    expect(await rows().first().textContent()).toContain('name=a\\u202eb');
    expect(await admin.page.evaluate('window.broken')).toBeUndefined();
    expect(await admin.page.locator('#console img, #console script').count()).toBe(0);
  });

  it('shows the stack of an error, lines of a level, and lines with words', async () => {
    const { page } = admin;
    await log(
      { level: 'error', message: 'the pump has stopped', fields: { station: 'mill' }, stack: 'no water' },
      { level: 'debug', message: 'the pump turns', fields: { station: 'lane' } },
    );
    await row('the pump turns').waitFor();
    await row('the pump has stopped').getByText('Stack').click();
    await row('the pump has stopped').getByText('Error: no water').waitFor();
    await page.getByLabel('Lines with these words').fill('LANE pump');
    await expect.poll(() => rows().count()).toBe(1);
    await row('the pump turns').waitFor();
    await page.getByLabel('Lines with these words').fill('nothing like it');
    await page.getByText('No line has these words').waitFor();
    await page.getByLabel('Lines with these words').fill('');
    await page.getByLabel('Level').selectOption('error');
    await expect.poll(() => rows().count()).toBe(1);
    await log({ level: 'info', message: 'not shown', fields: {} }, { level: 'error', message: 'shown', fields: {} });
    await row('shown').first().waitFor();
    expect(await rows().count()).toBe(2);
    await page.getByLabel('Level').selectOption('debug');
    await row('not shown').waitFor();
  });

  it('reads nothing while it is paused, and says where lines are missing', async () => {
    const { page } = admin;
    await page.getByRole('button', { name: 'Pause' }).click();
    await log({ level: 'info', message: 'while paused', fields: {} });
    await log(
      ...Array.from({ length: 400 }, (_, n) => ({
        level: 'info',
        message: `line ${n}`,
        fields: { reason: 'x'.repeat(2_000) },
      })),
    );
    expect(await row('while paused').count()).toBe(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await row('line 399').waitFor();
    await row('Lines are missing here').waitFor();
    expect(await row('while paused').count()).toBe(0);
    await row('the pump turns').waitFor();
    const height = () => row('line 399').evaluate((element) => (element as { clientHeight: number }).clientHeight);
    const wrapped = await height();
    await page.getByLabel('Wrap').uncheck();
    await expect.poll(height).toBeLessThan(wrapped);
    await page.getByLabel('Wrap').check();
  });

  it('is not shown to users who are no administrators', async () => {
    await post('/users/ada/_create', { profileIds: ['default'], password: PASSWORD });
    const ada = await ConsolePage.open(browser, url);
    await ada.signIn('ada', PASSWORD);
    await ada.show('server/log');
    await ada.page.locator('[data-state="no-right"]').waitFor();
    expect(await ada.page.getByRole('radio', { name: 'Log', exact: true }).count()).toBe(0);
    await ada.context.close();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('has no serious finding of axe-core: %s, %i px', async (colorScheme, width) => {
    const page = await ConsolePage.open(browser, url, { colorScheme, width });
    await page.signIn('admin', PASSWORD);
    await page.show('server/log');
    await page.page.getByText('the pump has stopped').or(page.page.getByText('line 399')).first().waitFor();
    expect(await page.findingsOnAll(['server/log'])).toEqual([]);
    await page.context.close();
  });
});
