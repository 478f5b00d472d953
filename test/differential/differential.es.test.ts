/*
 * A short run of the differential test; `pnpm test:differential` has long ones. The seed stands for what was found clean:
 * another one is looked at with the long test first.
 */
import { describe, expect, it } from 'vitest';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { runDifferential } from './runDifferential.js';
import { showDifference } from './showDifference.js';

const RUNS = 150;

describe.skipIf(!hasElasticsearch())('the embedded engine compared with Elasticsearch', () => {
  it('answers random requests to random collections as Elasticsearch does', { timeout: 120_000 }, async () => {
    const report = await runDifferential({
      node: NODE,
      seed: Number(process.env['MILLRACE_TEST_DIFFERENTIAL_SEED'] ?? 1),
      runs: RUNS,
      maxDifferences: 3,
      shrinks: true,
    });
    expect(report.unlisted.map(showDifference)).toEqual([]);
    expect(report.runs).toBe(RUNS);
    expect(report.answered.hits).toBeGreaterThan(RUNS / 5);
  });
});
