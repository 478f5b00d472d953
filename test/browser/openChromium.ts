import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether this machine has a Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken. */
export function hasChromium(): boolean {
  if (existsSync(executablePath)) return true;
  const line = `skipped: tests of pages need a Chromium (none at ${executablePath}; CHROMIUM names another)`;
  if (process.env['MILLRACE_TEST_REQUIRE'] === '1') throw new Error(line);
  console.log(line);
  return false;
}

/** Starts a Chromium. @param args in addition */
export function openChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}
