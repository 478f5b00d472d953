/*
 * The live page of docs/guide/client.md in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { hasChromium, openChromium } from './openChromium.js';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { startServer } from '../../scripts/startServer.mjs';
import { UserProgram } from '../types/UserProgram.js';

interface RunningServer {
  readonly url: string;
  urlOf(protocol: string): Promise<string>;
  stop(): Promise<number | null>;
}

const GUIDE = new URL('../../docs/guide/client.md', import.meta.url);
describe.skipIf(!hasChromium())('the live page of docs/guide/client.md', () => {
  let server: RunningServer;
  let program: UserProgram;
  let pages: PreviewServer;
  let browser: Browser;

  /** A block of the guide that contains a line. */
  const block = async (language: string, line: string) => {
    const guide = await readFile(GUIDE, 'utf8');
    const blocks = guide.split(`\n\`\`\`${language}\n`).slice(1);
    const found = blocks
      .map((each) => each.split('\n```')[0] ?? '')
      .find((each) => each.includes(line));
    if (found === undefined) throw new Error(`the guide has no block with ${line}`);
    return found;
  };

  beforeAll(async () => {
    const start = startServer as (command: string[]) => Promise<RunningServer>;
    server = await start(['node', 'packages/millrace/bin/millrace.js', '--log.level', 'error']);
    program = await UserProgram.create();
    const { folder: root } = program;
    await program.write('index.html', await block('html', '<!-- index.html -->'));
    const page = (await block('jsx', '// page.jsx'))
      .replace('http://127.0.0.1:7511', server.url)
      .replace('realtime()', `realtime({ url: '${await server.urlOf('websocket')}' })`);
    await program.write('page.jsx', page);
    await build({ root, logLevel: 'error', build: { outDir: join(root, 'dist') } });
    pages = await preview({ root, logLevel: 'error', preview: { port: 0, host: '127.0.0.1' } });
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await program?.remove();
    expect(await server?.stop()).toBe(0);
  });

  it('shows in one window what another one changes', async () => {
    const { port } = pages.httpServer.address() as { readonly port: number };
    const open = async (): Promise<Page> => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}`);
      await page.getByText('open', { exact: true }).waitFor();
      return page;
    };
    const [one, other] = await Promise.all([open(), open()]);
    expect(await one.title()).toBe('Stations');
    await one.getByRole('button', { name: 'New' }).click();
    await other.getByText('A new one: 0').waitFor();
    await other.getByRole('button', { name: '+1' }).click();
    await one.getByText('A new one: 1').waitFor();
  });
});
