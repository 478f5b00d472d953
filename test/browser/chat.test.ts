/*
 * The chat of examples/chat in a real Chromium: two users, a killed server, a cut network. CHROMIUM names its binary, or
 * /usr/bin/chromium is taken.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ChatExample } from './ChatExample.js';
import { hasChromium, openChromium } from './openChromium.js';

describe.skipIf(!hasChromium())('the chat', () => {
  let chat: ChatExample;
  let browser: Browser;
  let contexts: readonly BrowserContext[];
  let ada: Page;
  let grace: Page;
  const problems: string[] = [];

  const open = async (context: BrowserContext) => {
    // Pauses between attempts to connect grow while a slow machine starts the server.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // Refused connections are part of the test.
      if (message.type() === 'error' && !/ERR_|WebSocket/.test(message.text())) problems.push(message.text());
    });
    await page.goto(chat.url);
    return page;
  };
  const submit = async (page: Page, name: string, button: 'Sign up' | 'Log in') => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(`the password of ${name}`);
    await page.getByRole('button', { name: button }).click();
  };
  const signUp = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Sign up' }).click();
    await submit(page, name, 'Sign up');
    await page.getByRole('link', { name: 'General' }).click();
  };
  const write = async (page: Page, text: string) => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await message(page, text).waitFor();
  };
  const textsOf = (page: Page) => page.locator('.message .text').allTextContents();
  const unsent = (page: Page) => page.locator('.message[data-state="pending"]').count();
  const lastTexts = async (page: Page, count: number) => (await textsOf(page)).slice(-count).map((text) => text.trim());
  const present = (page: Page) => page.getByLabel('Here now').locator('.hidden').allTextContents();
  const message = (page: Page, text: string) => page.locator('.message', { hasText: text });

  beforeAll(async () => {
    chat = await ChatExample.start();
    browser = await openChromium();
    contexts = [await browser.newContext(), await browser.newContext()];
    [ada, grace] = (await Promise.all(contexts.map(open))) as [Page, Page];
  });
  afterAll(async () => {
    await browser?.close();
    expect(await chat?.stop()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('lets people sign up', async () => {
    await signUp(ada, 'ada');
    await signUp(grace, 'grace');
    await grace.getByText('No messages yet').waitFor();
  });

  it('shows each message to both, and who is there', async () => {
    await expect.poll(() => present(ada)).toEqual(['ada', 'grace']);
    await expect.poll(() => present(grace)).toEqual(['ada', 'grace']);
    await write(ada, 'Good morning');
    await message(grace, 'Good morning').waitFor();
    await write(grace, 'Hello');
    await message(ada, 'Hello').waitFor();
    expect((await textsOf(ada)).map((text) => text.trim())).toEqual(['Good morning', 'Hello']);
    expect(await textsOf(grace)).toEqual(await textsOf(ada));
  });

  it('shows who is typing, until the message is there', async () => {
    await ada.getByLabel('Message', { exact: true }).pressSequentially('I am');
    await grace.getByText('ada is typing…').waitFor();
    await write(ada, 'I am writing');
    await message(grace, 'I am writing').waitFor();
    await grace.getByText('ada is typing…').waitFor({ state: 'detached' });
  });

  it('lets an author change and delete a message, and no one else', async () => {
    await message(ada, 'I am writing').hover();
    await message(ada, 'I am writing').getByRole('button', { name: 'Edit' }).click();
    await ada.getByLabel('The message').fill('I have written');
    await ada.keyboard.press('Enter');
    await message(grace, 'I have written (edited)').waitFor();
    expect(await message(grace, 'I have written').getByRole('button').count()).toBe(0);
    ada.once('dialog', (dialog) => void dialog.accept());
    await message(ada, 'I have written').hover();
    await message(ada, 'I have written').getByRole('button', { name: 'Delete' }).click();
    await message(grace, 'I have written').waitFor({ state: 'detached' });
  });

  it('makes rooms, which others see at once', async () => {
    await ada.getByLabel('Name of a new room').fill('Bike repairs');
    await ada.keyboard.press('Enter');
    await ada.getByRole('heading', { name: 'Bike repairs' }).waitFor();
    await write(ada, 'Who has a pump?');
    await grace.getByRole('link', { name: 'Bike repairs' }).click();
    await message(grace, 'Who has a pump?').waitFor();
    await grace.getByRole('link', { name: 'General' }).click();
    await ada.getByRole('link', { name: 'General' }).click();
    await message(ada, 'Hello').waitFor();
  });

  it('shows the newest message of each room, the last one first, and where a name was mentioned', async () => {
    const roomsOf = (page: Page) => page.locator('.rooms .name').allTextContents();
    const newest = (page: Page) => page.locator('.rooms .newest').allTextContents();
    await expect.poll(() => roomsOf(grace)).toEqual(['Bike repairs', 'General', 'Random']);
    await write(ada, 'Has grace seen the pump?');
    await expect.poll(() => roomsOf(grace)).toEqual(['General', 'Bike repairs', 'Random']);
    await expect.poll(() => newest(grace)).toEqual(['ada: Has grace seen the pump?', 'ada: Who has a pump?']);
    await ada.getByRole('link', { name: 'Bike repairs' }).click();
    await write(ada, 'Grace has it.');
    await grace.getByRole('link', { name: 'Bike repairs' }).getByText('@').waitFor();
    await ada.getByRole('link', { name: 'General' }).click();
    ada.once('dialog', (dialog) => void dialog.accept());
    await message(ada, 'Has grace seen').hover();
    await message(ada, 'Has grace seen').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => newest(grace)).toEqual(['ada: Grace has it.', 'grace: Hello']);
  });

  it('shows a private room to its members alone', async () => {
    const [, graces] = contexts as [BrowserContext, BrowserContext];
    const alan = await open(await graces.browser()!.newContext());
    await signUp(alan, 'alan');
    await ada.getByLabel('Private').check();
    await ada.getByLabel('Name of a new room').fill('Surprise');
    await ada.getByLabel('Names of the members').fill('Grace');
    await ada.keyboard.press('Enter');
    await ada.getByRole('heading', { name: 'Surprise' }).waitFor();
    await write(ada, 'A cake for alan');
    await grace.getByRole('link', { name: 'Surprise' }).click();
    await message(grace, 'A cake for alan').waitFor();
    await expect.poll(() => grace.getByLabel('Members').locator('.hidden').allTextContents()).toEqual(['ada', 'grace']);
    // What follows arrives, and nothing of the private room.
    await grace.getByRole('link', { name: 'General' }).click();
    await write(grace, 'Hello alan');
    await message(alan, 'Hello alan').waitFor();
    expect(await alan.getByText('Surprise').count()).toBe(0);
    expect(await alan.getByText('cake').count()).toBe(0);
    await message(grace, 'Hello alan').hover();
    grace.once('dialog', (dialog) => void dialog.accept());
    await message(grace, 'Hello alan').getByRole('button', { name: 'Delete' }).click();
    const address = await grace.getByRole('link', { name: 'Surprise' }).getAttribute('href');
    await alan.goto(`${chat.url}/${address}`);
    await alan.getByText('There is no such room').waitFor();
    await alan.context().close();
    expect(problems.splice(0)).toEqual([expect.stringContaining('404 (Not Found)')]);
    await ada.getByRole('link', { name: 'General' }).click();
    await message(ada, 'Hello').waitFor();
  });

  it('continues after the server was killed, with all messages once', async () => {
    await chat.kill();
    await ada.getByText('No connection').waitFor();
    await grace.getByText('No connection').waitFor();
    await chat.startAgain();
    await expect.poll(() => ada.getByText('No connection').count()).toBe(0);
    await expect.poll(() => grace.getByText('No connection').count()).toBe(0);
    await write(ada, 'You are back');
    await write(grace, 'So are you');
    for (const page of [ada, grace]) {
      await message(page, 'You are back').waitFor();
      await message(page, 'So are you').waitFor();
      expect((await textsOf(page)).length).toBe(4);
    }
    await expect.poll(() => present(ada)).toEqual(['ada', 'grace']);
  });

  it('sends messages of an outage of the server, once and in order', async () => {
    await chat.kill();
    await ada.getByText('No connection').waitFor();
    for (const text of ['Away one', 'Away two', 'Away three']) await write(ada, text);
    await message(ada, 'Hello').waitFor();
    expect(await unsent(ada)).toBe(3);
    await chat.startAgain();
    await message(grace, 'Away three').waitFor();
    await expect.poll(() => unsent(ada)).toBe(0);
    await expect.poll(() => lastTexts(ada, 3)).toEqual(['Away one', 'Away two', 'Away three']);
    expect(await lastTexts(grace, 3)).toEqual(['Away one', 'Away two', 'Away three']);
    expect((await textsOf(grace)).length).toBe(7);
  });

  it('sends messages of a cut network, once, and shows those it missed', async () => {
    const [network] = contexts as [BrowserContext];
    await network.setOffline(true);
    await write(ada, 'No network one');
    await write(ada, 'No network two');
    await write(grace, 'Are you there?');
    expect(await unsent(ada)).toBe(2);
    expect(await grace.getByText('No network').count()).toBe(0);
    // A change of an unsent message goes out with it.
    await message(ada, 'No network two').hover();
    await message(ada, 'No network two').getByRole('button', { name: 'Edit' }).click();
    await ada.getByLabel('The message').fill('No network, changed');
    await ada.keyboard.press('Enter');
    await message(ada, 'No network, changed').waitFor();
    await network.setOffline(false);
    await message(grace, 'No network, changed (edited)').waitFor();
    await message(ada, 'Are you there?').waitFor();
    const all = ['Are you there?', 'No network one', 'No network, changed (edited)'];
    await expect.poll(() => lastTexts(ada, 3)).toEqual(all);
    expect(await lastTexts(grace, 3)).toEqual(all);
    expect((await textsOf(grace)).length).toBe(10);
  });

  it('shows older messages on demand, and finds some', async () => {
    for (let n = 1; n <= 45; n++) await write(ada, `Number ${n}.`);
    await expect.poll(() => unsent(ada)).toBe(0);
    await grace.reload();
    await message(grace, 'Number 45.').waitFor();
    expect((await textsOf(grace)).length).toBe(40);
    await grace.getByRole('button', { name: 'Older messages' }).click();
    await message(grace, 'Good morning').waitFor();
    const texts = (await textsOf(grace)).map((text) => text.trim());
    expect(texts.length).toBe(55);
    expect(texts).toEqual([
      'Good morning',
      'Hello',
      ...texts.slice(2, 10),
      ...Array.from({ length: 45 }, (_, n) => `Number ${n + 1}.`),
    ]);
    await grace.getByLabel('Search this room').fill('morning');
    await grace.getByText('1 found').waitFor();
    await grace.getByLabel('Search this room').fill('');
  });

  it('keeps the login over a reload, until it is ended', async () => {
    await ada.reload();
    await message(ada, 'Number 45.').waitFor();
    await ada.getByRole('button', { name: 'Log out' }).click();
    await expect.poll(() => present(grace)).toEqual(['grace']);
    await submit(ada, 'ada', 'Log in');
    await message(ada, 'Number 45.').waitFor();
  });

  it('has no scroll bar across on a phone', async () => {
    await grace.setViewportSize({ width: 360, height: 700 });
    expect(await grace.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await grace.getByRole('link', { name: 'All rooms' }).click();
    await grace.getByRole('link', { name: 'Random' }).waitFor();
    expect(await grace.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});
