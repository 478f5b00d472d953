import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserProgram } from './UserProgram.js';

const GUIDE = new URL('../../docs/guide/embedder.md', import.meta.url);
const LONG_MS = 300_000;

/** A program that the guide shows, by the name in its first line. */
async function programOf(name: string): Promise<string> {
  const text = await readFile(GUIDE, 'utf8');
  const [, program] = new RegExp(`\`\`\`js\n(// ${name}\n[^\`]*)\`\`\``).exec(text) ?? [];
  if (program === undefined) throw new Error(`the guide shows no ${name}`);
  return program;
}

describe('docs/guide/embedder.md in TypeScript', () => {
  let program: UserProgram;
  beforeEach(async () => {
    program = await UserProgram.create();
  });
  afterEach(() => program.remove());

  it(
    'compiles as it is',
    async () => {
      for (const name of ['library', 'watch']) await program.write(`${name}.ts`, await programOf(`${name}.mjs`));
      expect(await program.compile()).toBe('');
    },
    LONG_MS,
  );
});
