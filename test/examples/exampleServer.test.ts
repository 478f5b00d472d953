import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
// The example is JavaScript, as users would write it.
// @ts-expect-error no declarations
import { README, renderReadme } from '../../examples/server/readmeCalls.mjs';

describe('the bundled example server', () => {
  it('answers the ten calls of its README as the page says', async () => {
    const render = renderReadme as () => Promise<string>;
    expect(await render()).toBe(await readFile(README as string, 'utf8'));
  });
});
