/*
 * docs/guide/chat.md step by step in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserProgram } from '../types/UserProgram.js';
import { hasChromium, openChromium } from './openChromium.js';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { startServer } from '../../scripts/startServer.mjs';

interface RunningServer {
  readonly url: string;
  stop(): Promise<number | null>;
}

const GUIDE = new URL('../../docs/guide/chat.md', import.meta.url);
const BIN = fileURLToPath(new URL('../../packages/millrace/bin/millrace.js', import.meta.url));

describe.skipIf(!hasChromium())('docs/guide/chat.md', () => {
  let steps: readonly string[];
  let program: UserProgram;
  let server: RunningServer;
  let pages: PreviewServer;
  let browser: Browser;
  let contexts: readonly BrowserContext[];
  let ada: Page;
  let grace: Page;

  /** Writes the files of a step, and builds the page. */
  const write = async (step: number) => {
    const blocks = [...(steps[step] ?? '').matchAll(/^```(?:html|jsx?)\n([^]*?)^```$/gm)];
    for (const [, text = ''] of blocks) {
      const [, name = ''] = /^(?:\/\/|<!--) (\w+\.\w+)/m.exec(text) ?? [];
      await program.write(name, text.replace('http://127.0.0.1:7511', server.url));
    }
    const { folder: root } = program;
    if (step > 1) await build({ root, logLevel: 'error', build: { outDir: join(root, 'dist') } });
  };
  /** Runs a program. @returns that it prints what the guide shows */
  const expectOutput = async (name: string, step: number) => {
    const [, shown] = /^```text\n([^]*?)^```$/m.exec(steps[step] ?? '') ?? [];
    const { stdout } = await promisify(execFile)(process.execPath, [program.path(name)]);
    expect(stdout).toBe(shown);
  };
  const open = async () => {
    await Promise.all([ada, grace].map((page) => page.goto(urlOf(pages))));
  };
  const signUp = async (page: Page, name: string, password: string) => {
    await page.getByPlaceholder('Name').fill(name);
    await page.getByPlaceholder('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
  };
  const send = async (page: Page, text: string) => {
    await page.getByPlaceholder('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  const line = (page: Page, text: string) => page.locator('li', { hasText: text });

  beforeAll(async () => {
    steps = (await readFile(GUIDE, 'utf8')).split(/^## Step /m);
    program = await UserProgram.create();
    const [, config = ''] = /^```json\n([^]*?)^```$/m.exec(steps[1] ?? '') ?? [];
    await program.write('millrace.config.json', config);
    const start = startServer as (command: string[], options: object) => Promise<RunningServer>;
    server = await start(['node', BIN, '--log.level', 'error'], { cwd: program.folder });
    browser = await openChromium();
    contexts = [await browser.newContext(), await browser.newContext()];
    [ada, grace] = (await Promise.all(contexts.map((each) => each.newPage()))) as [Page, Page];
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    expect(await server?.stop()).toBe(0);
    await program?.remove();
  });

  it('step 1 prepares the server', async () => {
    await write(1);
    await expectOutput('setup.mjs', 1);
  });

  it('step 2 signs users up', async () => {
    await write(2);
    const { folder: root } = program;
    pages = await preview({ root, logLevel: 'error', preview: { port: 0, host: '127.0.0.1' } });
    await open();
    await signUp(ada, 'ada', 'short');
    await ada.getByText('at least 8 characters').waitFor();
    await signUp(ada, 'ada', 'the password of ada');
    await ada.getByText('Hello ada').waitFor();
    await signUp(grace, 'grace', 'the password of grace');
    await grace.getByText('Hello grace').waitFor();
  });

  it('step 3 shows messages of others', async () => {
    await write(3);
    await open();
    await send(ada, 'Good morning');
    await line(grace, 'ada Good morning').waitFor();
  });

  it('step 4 refuses what members may not do, and deletes own messages', async () => {
    await write(4);
    await expectOutput('cheat.mjs', 4);
    await open();
    await line(grace, 'Good morning').waitFor();
    expect(await line(grace, 'Good morning').getByRole('button').count()).toBe(0);
    await line(ada, 'Good morning').getByRole('button', { name: 'Delete' }).click();
    await line(grace, 'Good morning').waitFor({ state: 'detached' });
  });

  it('step 5 shows who is there', async () => {
    await write(5);
    await open();
    for (const page of [ada, grace]) await page.getByText('Here now: ada, grace').waitFor();
    await grace.getByRole('button', { name: 'Log out' }).click();
    await ada.getByText('Here now: ada', { exact: true }).waitFor();
    await grace.getByPlaceholder('Name').fill('grace');
    await grace.getByPlaceholder('Password').fill('the password of grace');
    await grace.getByRole('button', { name: 'Log in' }).click();
    await ada.getByText('Here now: ada, grace').waitFor();
  });

  it('step 6 sends what was written without a network, once', async () => {
    await write(6);
    await open();
    await send(ada, 'With a network');
    await line(grace, 'With a network').waitFor();
    await contexts[0]?.setOffline(true);
    await send(ada, 'Without one');
    await line(ada, 'Without one').getByText('not sent yet').waitFor();
    expect(await line(grace, 'Without one').count()).toBe(0);
    await contexts[0]?.setOffline(false);
    await line(grace, 'Without one').waitFor();
    await ada.getByText('not sent yet').waitFor({ state: 'detached' });
    expect(await grace.locator('li').count()).toBe(2);
  });
});

function urlOf(server: PreviewServer): string {
  const { port } = server.httpServer.address() as { readonly port: number };
  return `http://127.0.0.1:${port}`;
}
