// How fast is the console? Measures in Chromium, for a server in this process: the scripts of the first load (gzip), the time to
// the login form and (after a reload) to the rows of a collection, to draw 200 rows after their answer, and to open a document of
// 1 MB. Prints the median of the rounds.
//
//   npm run build && node bench/scripts/consoleTimes.mjs [rounds] [documents]
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '@millrace/auth-local';
import { Kernel } from '@millrace/server';
import { quantile } from '../quantile.mjs';

const fromTests = createRequire(new URL('../../test/package.json', import.meta.url));
const { chromium } = fromTests('playwright-core');
const { adminConsole } = await import(fromTests.resolve('@millrace/console'));
const rounds = Number(process.argv[2] ?? 9);
const documentCount = Number(process.argv[3] ?? 10_000);
const PASSWORD = 'only for measurements';
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-console-'));
const kernel = new Kernel({
  config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' } },
  plugins: [localAuth(), adminConsole({ enabled: true })],
});
const url = (await kernel.start()).find(({ protocol }) => protocol === 'http').url;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await fill();
  const times = {
    'login form': [],
    'rows after a reload': [],
    '200 rows drawn': [],
    '1 MB document open as a form': [],
    'the same as JSON': [],
  };
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${url}/_console/`);
    times['login form'].push(await shownAt(page, 'document.querySelector("form input[type=password]")'));
    await page.getByLabel('Name', { exact: true }).fill('admin');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    const list = `${url}/_console/#/data/city/stations?live=off&depth=json&json=${encodeURIComponent('{"size":200}')}`;
    await page.goto(list);
    await page.reload();
    times['rows after a reload'].push(await shownAt(page, 'document.querySelector("tbody tr")'));
    bytes = await page.evaluate(
      'performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)',
    );
    const before = await page.evaluate('performance.now()');
    await page
      .getByRole('button', { name: 'n: sort' })
      .or(page.getByRole('button', { name: 'n', exact: true }))
      .click();
    const [drawn, answered] = await page.evaluate(`new Promise((resolve) => {
      const check = () => {
        const answer = performance.getEntriesByType('resource').filter(({ name, startTime }) => startTime > ${before} && name.includes('/search')).at(-1);
        const rows = document.querySelectorAll('.grid:not(.dimmed) tbody tr').length;
        if (answer === undefined || rows < 200) return requestAnimationFrame(check);
        requestAnimationFrame(() => resolve([performance.now(), answer.responseEnd]));
      };
      check();
    })`);
    times['200 rows drawn'].push(drawn - answered);
    await page.goto(`${url}/_console/#/data/city/large?live=off`);
    const row = page.getByRole('row', { name: 'Document large' });
    await row.waitFor();
    const clicked = await page.evaluate('performance.now()');
    await row.click();
    const has = (length) =>
      `[...document.querySelectorAll("aside textarea")].some(({ value }) => value.length >= ${length})`;
    // The form shows the beginning of a long value.
    times['1 MB document open as a form'].push((await shownAt(page, has(10_000))) - clicked);
    const chosen = await page.evaluate('performance.now()');
    await page.getByRole('complementary').last().getByRole('radio', { name: 'JSON' }).click();
    times['the same as JSON'].push((await shownAt(page, has(1_000_000))) - chosen);
    await context.close();
  }
  console.log(`scripts of the first load with data: ${(bytes / 1024).toFixed(1)} KiB (gzip)`);
  for (const [name, values] of Object.entries(times)) console.log(`${name}: ${quantile(values, 0.5).toFixed(0)} ms`);
} finally {
  await browser.close();
  await kernel.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** The time since the navigation at which a condition is true and drawn. */
function shownAt(page, condition) {
  return page.evaluate(`new Promise((resolve) => {
    const check = () => requestAnimationFrame(() => ((${condition}) ? requestAnimationFrame(() => resolve(performance.now())) : check()));
    check();
  })`);
}

async function fill() {
  const run = async (action, fields) => {
    const [controller, name] = action.split('.');
    const { error } = await kernel.execute(
      { ...fields, controller, action: name },
      { user: { _id: 'test', profileIds: ['admin'] } },
    );
    if (error !== null) throw new Error(error.message);
  };
  await run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD }, reset: true });
  await run('index.create', { index: 'city' });
  const properties = {
    name: { type: 'text' },
    district: { type: 'keyword' },
    n: { type: 'integer' },
    opened: { type: 'date' },
  };
  await run('collection.create', { index: 'city', collection: 'stations', body: { properties } });
  await run('collection.create', {
    index: 'city',
    collection: 'large',
    body: { properties: { text: { type: 'text' } } },
  });
  for (let from = 0; from < documentCount; from += 1_000) {
    const documents = Array.from({ length: 1_000 }, (_, at) => ({
      _id: `s-${from + at}`,
      body: { name: `Mill Lane ${from + at}`, district: `District ${at % 12}`, n: from + at, opened: '2021-03-01' },
    }));
    await run('document.mCreate', { index: 'city', collection: 'stations', body: { documents } });
  }
  const text = 'long text '.repeat(100_000);
  await run('document.create', {
    index: 'city',
    collection: 'large',
    _id: 'large',
    body: { text },
    refresh: 'wait_for',
  });
}
