import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GuideRunner } from './GuideRunner.js';

describe('the guides', () => {
  it.each([
    ['quick-start', 4, 4],
    ['accounts', 9, 8],
    ['modelling', 7, 6],
    ['search-cookbook', 10, 9],
    ['getting-started', 10, 9],
    ['operator', 9, 4],
    ['security', 3, 0],
    ['never-miss-a-change', 9, 6],
    ['private-data', 16, 9],
    ['backup', 9, 4],
  ])(
    '%s does what it says',
    async (name, commandCount, answerCount) => {
      const guide = new URL(`../../docs/guide/${name}.md`, import.meta.url);
      const runner = new GuideRunner();
      await runner.run(await readFile(guide, 'utf8'));
      expect(runner.problems).toEqual([]);
      expect(runner.refusals).toEqual([]);
      // So that a guide whose blocks are no longer recognised doesn't pass for a right one.
      expect(runner.done.commands).toBeGreaterThanOrEqual(commandCount);
      expect(runner.done.answers).toBeGreaterThanOrEqual(answerCount);
    },
    120_000,
  );
});
