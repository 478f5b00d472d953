/*
 * The live pages of the guides in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { GuidePage } from './GuidePage.js';
import { hasChromium, openChromium } from './openChromium.js';

describe.skipIf(!hasChromium())('the live page of a guide', () => {
  let guide: GuidePage | undefined;
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterEach(async () => {
    expect(await guide?.close()).toBe(0);
  });
  afterAll(() => browser?.close());

  const open = async (url: string, state: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText(state, { exact: true }).waitFor();
    return page;
  };

  const putStations = async (stations: Record<string, object>) => {
    for (const [id, station] of Object.entries(stations)) {
      const url = `${guide?.server.url}/city/stations/${id}`;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(station) });
      expect(response.status).toBe(200);
    }
  };

  it('quick-start.md: a list in TypeScript, in two windows', async () => {
    guide = await GuidePage.open('quick-start', 'page.ts');
    await putStations({ opera: { name: 'Opera', bikes: 3 } });
    const [one, other] = await Promise.all([open(guide.url, 'live'), open(guide.url, 'live')]);
    const line = (page: Page, text: string) => page.locator('li', { hasText: text });
    await one.getByRole('button', { name: 'New station' }).click();
    await line(other, 'New: 0').getByRole('button').click();
    await line(one, 'New: 1').waitFor();
    await line(one, 'Opera: 3').getByRole('button').click();
    await line(other, 'Opera: 4').getByRole('button').click();
    await line(other, 'Opera').waitFor({ state: 'detached' });
    await line(one, 'Opera').waitFor({ state: 'detached' });
    expect(await one.locator('li').count()).toBe(1);
  });

  it('client.md: shows in one window what another one changes', async () => {
    guide = await GuidePage.open('client');
    const [one, other] = await Promise.all([open(guide.url, 'open'), open(guide.url, 'open')]);
    expect(await one.title()).toBe('Stations');
    await one.getByRole('button', { name: 'New' }).click();
    await other.getByText('A new one: 0').waitFor();
    await other.getByRole('button', { name: '+1' }).click();
    await one.getByText('A new one: 1').waitFor();
  });

  it('live-lists.md: a list whose stations move, and leave it', async () => {
    guide = await GuidePage.open('live-lists');
    await putStations({ Opera: { name: 'Opera', bikes: 3 }, Harbour: { name: 'Harbour', bikes: 4 } });
    const [one, other] = await Promise.all([open(guide.url, 'live'), open(guide.url, 'live')]);
    const lines = async (page: Page) => {
      const texts = await page.locator('li').allTextContents();
      return texts.map((text) => text.replace(/ Bring one back$/, ''));
    };
    await expect.poll(() => lines(one)).toEqual(['Opera: 3', 'Harbour: 4']);
    await one.locator('li', { hasText: 'Opera' }).getByRole('button').click();
    await expect.poll(() => lines(other)).toEqual(['Harbour: 4', 'Opera: 4']);
    await other.locator('li', { hasText: 'Harbour' }).getByRole('button').click();
    await expect.poll(() => lines(one)).toEqual(['Opera: 4']);
    await one.getByText('1 stations are nearly empty').waitFor();
  });
});
