import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('chaos.mjs', import.meta.url));
const SHORT = ['--seconds', '10', '--cuts', '60', '--clients', '4', '--kills', '1', '--seed', '20'];

it('clients whose connections are cut and whose server is killed end with the documents of a search (RESUME-11)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...SHORT]);
  expect(stdout).toContain('nothing was lost or duplicated');
  expect(stdout).toContain('"kills":1');
});
