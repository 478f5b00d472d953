// Makes the pictures of docs/pictures from running servers, light and dark: the chat in two windows, the live map, the
// start page and the console of the example server; the chat also as a moving picture. Run by hand after a visible change of one of
// them, and look at the result.
// usage: node scripts/pictures.mjs (needs `npm run bootstrap`, img2webp of Debian's package webp, and a Chromium: CHROMIUM names its
// binary, or /usr/bin/chromium is taken)
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './startServer.mjs';

const root = new URL('..', import.meta.url);
const { chromium } = createRequire(new URL('test/package.json', root))('playwright-core');
const folder = fileURLToPath(new URL('docs/pictures/', root));
const LIMIT_BYTES = 300_000;
const SCHEMES = ['light', 'dark'];

mkdirSync(folder, { recursive: true });
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await picturesOfExampleServer();
  await picturesOfChat();
} finally {
  await browser.close();
}

async function picturesOfExampleServer() {
  // The start page shows the port.
  const server = await startServer([
    'node',
    'examples/server/start.mjs',
    '--log.level',
    'error',
    '--http.port',
    '7511',
  ]);
  try {
    for (const scheme of SCHEMES) {
      const page = await openPage(scheme, { width: 1100, height: 700 });
      await page.goto(server.url);
      await save(page, 'start-page', scheme, { fullPage: true });
      await page.goto(`${server.url}/_map`);
      await page.locator('#state', { hasText: 'live' }).waitFor();
      await page.locator('#filter').selectOption('few');
      await page.locator('#ride').click();
      await page.locator('#changes li').nth(4).waitFor();
      await save(page, 'live-map', scheme);
      await page.context().close();
    }
    await picturesOfConsole(server.url);
  } finally {
    await server.stop();
  }
}

async function picturesOfConsole(url) {
  const admin = { _id: 'ada', password: 'only for pictures' };
  const created = await fetch(`${url}/_createFirstAdmin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  if (!created.ok) throw new Error(await created.text());
  for (const scheme of SCHEMES) {
    const page = await openPage(scheme, { width: 1360, height: 720 });
    await page.goto(`${url}/_console/#/data/city/stations?depth=filters&f=[["bikes","min","5"]]&doc=station-042`);
    await page.getByLabel('Name', { exact: true }).fill(admin._id);
    await page.getByLabel('Password').fill(admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('complementary', { name: 'station-042' }).getByText('district').waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.waitForLoadState('networkidle');
    await save(page, 'console', scheme);
    await page.context().close();
  }
}

async function picturesOfChat() {
  const cwd = fileURLToPath(new URL('examples/chat/', root));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd, stdio: 'inherit' });
  const until = /The chat is at (\S+)/;
  const start = () => startServer(['node', 'server/start.mjs'], { cwd, until });
  for (const scheme of SCHEMES) {
    const data = mkdtempSync(join(tmpdir(), 'millrace-pictures-'));
    Object.assign(process.env, { PORT: '0', DATA_DIR: data, ADMIN_PASSWORD: 'only for pictures' });
    let server = await start();
    try {
      const [ada, grace] = await Promise.all([signUp(server.url, 'ada', scheme), signUp(server.url, 'grace', scheme)]);
      const clip = createClip([ada, grace]);
      await clip.hold(900);
      await write(clip, ada, 'Good morning! Who has a bicycle pump?', [ada, grace]);
      await write(clip, grace, 'I have one. It is next to the workshop door.', [ada, grace]);
      await server.stop();
      await Promise.all([ada, grace].map((page) => page.getByText('No connection').waitFor()));
      await clip.hold(1_200);
      await write(clip, ada, 'Perfect. Do you also have a 15 mm spanner?', [ada]);
      await ada.getByText('Not sent yet').waitFor();
      await clip.hold(1_200);
      process.env.PORT = new URL(server.url).port;
      server = await start();
      await grace.getByText('Do you also have').last().waitFor();
      await Promise.all([ada, grace].map((page) => page.getByText('No connection').waitFor({ state: 'hidden' })));
      await clip.hold(1_200);
      await write(clip, grace, 'Two of them. Come at noon?', [ada, grace]);
      const newest = (page) => page.getByRole('link', { name: 'Two of them' }).waitFor();
      await Promise.all([ada, grace].map(newest));
      await clip.hold(600);
      await type(clip, ada, 'Noon is good,', grace);
      await clip.hold(3_000);
      await saveWindows(clip.frames.at(-1).shots, 'chat', scheme);
      await saveClip(clip, 'chat', scheme);
      await Promise.all([ada, grace].map((page) => page.context().close()));
    } finally {
      await server.stop();
      rmSync(data, { recursive: true });
    }
  }
}

/** The states of windows, one after the other; `hold` adds the present one, shown for some milliseconds. */
function createClip(pages) {
  const frames = [];
  const hold = async (ms) => {
    frames.push({ ms, shots: await Promise.all(pages.map((page) => page.screenshot())) });
  };
  return { frames, hold };
}

async function openPage(colorScheme, viewport, deviceScaleFactor = 1.5) {
  const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor });
  return context.newPage();
}

async function signUp(url, name, scheme) {
  const page = await openPage(scheme, { width: 720, height: 560 });
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(`the password of ${name}`);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('link', { name: 'General' }).click();
  return page;
}

async function write(clip, page, text, readers) {
  const reader = readers.find((each) => each !== page);
  await type(clip, page, text, reader);
  await page.keyboard.press('Enter');
  await Promise.all(readers.map((each) => each.locator('.message', { hasText: text }).waitFor()));
  await reader?.getByText('is typing…').waitFor({ state: 'hidden' });
  await clip.hold(900);
}

/** @param reader shows who types; undefined: it has no connection */
async function type(clip, page, text, reader) {
  const field = page.getByLabel('Message', { exact: true });
  for (const part of text.match(/.{1,3}/g)) {
    await field.pressSequentially(part);
    await reader?.getByText('is typing…').waitFor();
    await clip.hold(80);
  }
}

/** One picture of several windows next to each other. */
async function saveWindows(shots, name, scheme) {
  const page = await openPage(scheme, { width: 1500, height: 600 });
  await showWindows(page, shots, 'transparent');
  await save(page, name, scheme, { omitBackground: true });
  await page.context().close();
}

async function showWindows(page, shots, background) {
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString('base64')}">`);
  await page.setContent(`<style>
    body { display: flex; gap: 20px; margin: 20px; background: ${background} }
    img { width: 720px; border-radius: 10px; outline: 1px solid #8886 }
  </style>${images.join('')}`);
}

/** The same as a moving picture, on the background of the site. */
async function saveClip({ frames }, name, scheme) {
  const parts = mkdtempSync(join(tmpdir(), 'millrace-clip-'));
  const page = await openPage(scheme, { width: 1500, height: 600 }, 1);
  const args = ['-loop', '0', '-lossy', '-q', '75', '-m', '6'];
  for (const [at, { ms, shots }] of frames.entries()) {
    const path = join(parts, `${at}.png`);
    await showWindows(page, shots, scheme === 'dark' ? '#1b1b1f' : '#ffffff');
    await page.screenshot({ path });
    args.push('-d', String(ms), path);
  }
  await page.context().close();
  const path = `${folder}${name}-${scheme}.webp`;
  execFileSync('img2webp', [...args, '-o', path]);
  rmSync(parts, { recursive: true });
  report(path);
}

async function save(page, name, scheme, options = {}) {
  const path = `${folder}${name}-${scheme}.png`;
  await page.screenshot({ path, ...options });
  report(path);
}

function report(path) {
  const { size } = statSync(path);
  console.log(`docs/pictures/${basename(path)}: ${Math.round(size / 1000)} kB`);
  if (size > LIMIT_BYTES) throw new Error(`${path} has ${size} bytes, more than ${LIMIT_BYTES}`);
}
