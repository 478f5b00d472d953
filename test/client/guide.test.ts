import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { UserProgram } from '../types/UserProgram.js';

const GUIDE = new URL('../../docs/guide/quick-start.md', import.meta.url);
const LONG_MS = 300_000;

describe('docs/guide/quick-start.md', () => {
  let server: TestKernel;
  let program: UserProgram;
  beforeAll(async () => {
    server = await startTestKernel();
    program = await UserProgram.create();
  });
  afterAll(async () => {
    await program.remove();
    await server.close();
  });

  it(
    'the first program prints what the guide says, compiled as TypeScript',
    async () => {
      const guide = await readFile(GUIDE, 'utf8');
      const [, text = ''] = /```js\n(\/\/ stations\.mjs\n[^`]*(?:`[^`]+`[^`]*)*)```/.exec(guide) ?? [];
      const [, expected] = /; \/\/ → (.+)$/m.exec(text) ?? [];
      expect(expected).toBeDefined();
      const runnable = text
        .replace('http://127.0.0.1:7511', server.url)
        .replace(/console\.log\((.*)\);/, 'console.log(JSON.stringify($1));');
      await program.write('stations.ts', `${runnable}\ndeclare const console: { log(text: string): void };\n`);
      expect(await program.compile()).toBe('');
      expect(await program.run('stations')).toEqual([[expected]]);
    },
    LONG_MS,
  );
});
