import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLogDestination } from './openLogDestination.js';

const LINE = `${JSON.stringify({ msg: 'x'.repeat(1_000) })}\n`;

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'millrace-log-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

it('keeps at most 8 MiB of lines for a reader that stops, and says how many were dropped', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const destination = openLogDestination(pipe);
  const writtenCount = 20_000;
  // No reader has opened the pipe: nothing can be written.
  for (let n = 0; n < writtenCount; n++) destination.write(LINE);
  let readCount = 0;
  let droppedCount = 0;
  for await (const line of createInterface({ input: createReadStream(pipe) })) {
    const fields = JSON.parse(line) as { readonly droppedCount?: number };
    if (fields.droppedCount === undefined) readCount++;
    else {
      droppedCount = fields.droppedCount;
      break;
    }
  }
  expect(readCount * LINE.length).toBeLessThanOrEqual(8_388_608);
  expect(readCount).toBeGreaterThan(8_000);
  expect(readCount + droppedCount).toBe(writtenCount);
});
