import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('loss.mjs', import.meta.url));

it('a client over WebSocket or SSE notices a live, replayed, published, `resumed` or `gap` message that was lost (RESUME-24)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, '--rounds', '1']);
  expect(stdout).toContain('Every loss was noticed.');
});
