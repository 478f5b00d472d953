/**
 * The four functions with which suites register their tests. The modules `vitest` and `node:test` provide them:
 * `import * as runner from 'node:test'`.
 */
export interface TestRunner {
  describe(title: string, define: () => void): unknown;
  it(title: string, run: () => Promise<void>): unknown;
  beforeEach(run: () => Promise<void>): unknown;
  afterEach(run: () => Promise<void>): unknown;
}
