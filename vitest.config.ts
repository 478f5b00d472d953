import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';

const root = new URL('.', import.meta.url).pathname;

/**
 * Packages are tested from their sources, but a worker thread is started by node itself, which reads JavaScript:
 * `new URL('./x.worker.js', import.meta.url)` in a source file points at the built worker. `npm test` builds first.
 */
const builtWorkers: Plugin = {
  name: 'millrace:built-workers',
  enforce: 'pre',
  transform(code, id) {
    const [, packageRoot] = /^(.*\/packages\/[^/]+)\/src\//.exec(id) ?? [];
    if (packageRoot === undefined || !code.includes('.worker.js')) return undefined;
    return code.replace(
      /new URL\('\.\/([\w/-]+\.worker\.js)', import\.meta\.url\)/g,
      (_, file: string) => `new URL('file://${packageRoot}/dist/${file}')`,
    );
  },
};

export default defineConfig({
  plugins: [builtWorkers],
  // By alias, not by the `source` condition: Vitest would hand that on to worker threads, which need the built files.
  resolve: {
    alias: [
      {
        find: /^@millrace\/((?:auth|protocol)-[\w-]+)$/,
        replacement: `${root}plugins/$1/src/index.ts`,
      },
      { find: /^@millrace\/([\w-]+)$/, replacement: `${root}packages/$1/src/index.ts` },
    ],
  },
  test: {
    include: [
      '{packages,plugins,examples}/*/src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    server: { deps: { inline: [/@millrace\//] } },
    setupFiles: ['reflect-metadata'],
    // Many wait for servers and clocks: even two cores take two files at a time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
