import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VERSION } from './version.js';

it('VERSION is the version of package.json', async () => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
});
