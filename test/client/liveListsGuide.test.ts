import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { websocket } from '@millrace/protocol-websocket';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserProgram } from '../types/UserProgram.js';

const GUIDE = new URL('../../docs/guide/live-lists.md', import.meta.url);
/** Node.js 20 has the global WebSocket behind a flag. */
const FLAGS = Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-websocket'] : [];

describe('docs/guide/live-lists.md', () => {
  let server: TestKernel;
  let program: UserProgram;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket()] });
    program = await UserProgram.create();
  });
  afterAll(async () => {
    await program.remove();
    await server.close();
  });

  // The second one uses the stations of the first one.
  it.each(['events.js', 'list.js'])(
    '%s prints what the guide says',
    async (name) => {
      const guide = await readFile(GUIDE, 'utf8');
      const [, text = ''] = guide.split(`\`\`\`js\n// ${name}\n`);
      const code = text.slice(0, text.indexOf('\n```'));
      const expected = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, line]) => line);
      expect(expected.length).toBeGreaterThanOrEqual(2);
      const runnable = code.replace('http://127.0.0.1:7511', server.url);
      await program.write(name, runnable);
      const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, program.path(name)]);
      expect(stdout.trim().split('\n')).toEqual(expected);
    },
    120_000,
  );
});
