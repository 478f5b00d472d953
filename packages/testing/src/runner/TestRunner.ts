/**
 * The four functions with which suites register their tests. The modules `vitest` and `node:test` are such runners as
 * they are: `import * as runner from 'node:test'`.
 */
export interface TestRunner {
  describe(title: string, define: () => void): unknown;
  it(title: string, run: () => Promise<void>): unknown;
  beforeEach(run: () => Promise<void>): unknown;
  afterEach(run: () => Promise<void>): unknown;
}
