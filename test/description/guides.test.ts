import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GuideRunner } from './GuideRunner.js';

describe('the guides', () => {
  it.each([
    ['quick-start', 4, 4],
    ['accounts', 9, 8],
    ['modelling', 7, 6],
    ['search-cookbook', 10, 9],
    ['concept-data', 3, 2],
    ['concept-search', 2, 1],
    ['concept-realtime', 2, 1],
    ['concept-rights', 5, 2],
    ['concept-plugins', 3, 1],
    ['query-words', 8, 6],
    ['query-values', 7, 5],
    ['query-combine', 6, 4],
    ['query-places', 6, 4],
    ['query-aggregations', 8, 6],
    ['roles-cookbook', 7, 5],
    ['functions', 8, 6],
    ['deploy', 6, 4],
    ['metrics', 3, 3],
    ['runbooks', 12, 6],
    ['troubleshooting', 3, 2],
    ['magic-link', 8, 6],
    ['publish-plugin', 5, 2],
    ['moving-from-kuzzle', 4, 3],
    ['moving-from-pocketbase', 3, 2],
    ['moving-from-firebase', 3, 2],
    ['moving-from-supabase', 3, 2],
    ['getting-started', 10, 9],
    ['operator', 6, 1],
    ['security', 3, 0],
    ['never-miss-a-change', 11, 7],
    ['pass-changes-on', 8, 2],
    ['private-data', 17, 10],
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

  // The same by the programs that are shown next to the commands.
  it.each([
    ['security', 3],
    ['backup', 3],
    ['private-data', 8],
  ])('%s does what its programs say', async (name, programCount) => {
    const guide = new URL(`../../docs/guide/${name}.md`, import.meta.url);
    const runner = new GuideRunner(true);
    await runner.run(await readFile(guide, 'utf8'));
    expect(runner.problems).toEqual([]);
    expect(runner.refusals).toEqual([]);
    expect(runner.done.programs).toBe(programCount);
  });
});
