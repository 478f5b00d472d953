/*
 * The live map of the example server in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { hasChromium, openChromium } from './openChromium.js';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { startServer } from '../../scripts/startServer.mjs';

interface RunningServer {
  readonly url: string;
  stop(): Promise<number | null>;
}

describe.skipIf(!hasChromium())('the live map of the example server', () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
  };
  const bikesOf = (station: string) => page.locator(`circle[data-station="${station}"]`).getAttribute('data-bikes');
  const shown = () => page.locator('#count').textContent();

  beforeAll(async () => {
    const start = startServer as (command: string[]) => Promise<RunningServer>;
    server = await start(['node', 'examples/server/start.mjs', '--log.level', 'error']);
    browser = await openChromium();
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${server.url}/_map`);
    await page.locator('#state', { hasText: 'live' }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    expect(await server?.stop()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('shows every station', async () => {
    expect(await shown()).toBe('600');
    expect(await page.locator('circle').count()).toBe(600);
  });

  it('changes a station as it changes, and tells of it', async () => {
    await call('PUT', '/city/stations/station-042/_update', { bikes: 2 });
    await page.locator('circle[data-station="station-042"][data-bikes="2"]').waitFor();
    await page.locator('#changes li', { hasText: 'Tannery Street 42: 2 bikes' }).waitFor();
  });

  it('shows stations that come into a filter and drops those that leave it', async () => {
    await page.locator('#filter').selectOption('few');
    await page.locator('#state', { hasText: 'live' }).waitFor();
    await page.locator('circle[data-station="station-042"]').waitFor();
    await page.waitForFunction("document.querySelectorAll('circle').length < 600");
    const before = Number(await shown());
    await call('PUT', '/city/stations/station-042/_update', { bikes: 12 });
    await page.locator('circle[data-station="station-042"]').waitFor({ state: 'detached' });
    expect(Number(await shown())).toBe(before - 1);
    await call('PUT', '/city/stations/station-042/_update', { bikes: 1 });
    await page.locator('circle[data-station="station-042"]').waitFor();
    expect(await bikesOf('station-042')).toBe('1');
  });

  it('shows the query and the subscription of the choice, and the circle it is about', async () => {
    await page.locator('#filter').selectOption('near');
    await page.waitForFunction("document.querySelectorAll('circle').length === 32");
    expect(await page.locator('#query').textContent()).toContain('"geo_distance"');
    expect(await page.locator('#subscription').textContent()).toContain('"geoDistance"');
    expect(await page.locator('.chosen').count()).toBe(1);
    await page.waitForFunction("document.querySelector('#map').viewBox.baseVal.width < 50");
  });

  it('moves bikes itself, with a ring at each change that goes away', async () => {
    await page.locator('#ride').click();
    await page.locator('.ring').first().waitFor({ state: 'attached' });
    await page.locator('#changes b').first().waitFor();
    await page.locator('#ride').click();
    await page.waitForFunction("document.querySelectorAll('.ring').length === 0");
  });

  it('has no scroll bar across on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('is linked from the start page, which its own policy lets the browser show', async () => {
    const start = await browser.newPage();
    const refused: string[] = [];
    start.on('console', (message) => refused.push(message.text()));
    await start.goto(server.url);
    expect(await start.title()).toBe('Millrace');
    // The style is in force.
    expect(await start.locator('main').evaluate('(main) => getComputedStyle(main).maxWidth')).not.toBe('none');
    await start.locator('a', { hasText: 'Live map' }).click();
    await start.waitForURL(`${server.url}/_map`);
    expect(refused).toEqual([]);
    await start.close();
  });

  it('adds and removes stations', async () => {
    await page.locator('#filter').selectOption('all');
    await page.waitForFunction("document.querySelectorAll('circle').length === 600");
    const location = { lat: 47.2, lon: -1.55 };
    const station = { name: 'New dock', capacity: 4, bikes: 4, location };
    await call('POST', '/city/stations/new/_create', station);
    await page.locator('circle[data-station="new"]').waitFor();
    await call('DELETE', '/city/stations/new');
    await page.locator('circle[data-station="new"]').waitFor({ state: 'detached' });
    expect(await shown()).toBe('600');
  });
});
