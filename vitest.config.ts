import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { SlowestFiles } from './test/SlowestFiles.js';

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

/** What `npm test` leaves to `npm run test:all`. The rules of most have a shorter test in the quick suite too. */
const HEAVY = [
  // Need a server or a browser, start and kill processes, pack and install packages, fill disks and memory, or compile programs
  // against the declarations of `npm run build`.
  'test/{browser,cluster,elasticsearch,embedding,examples,faults,growth,packages,process,resume,types}/**/*.test.ts',
  'test/client/{generatedTypes,guide,liveListsGuide,readme,typeCost}.test.ts',
  'test/description/{conformanceCalls,generatedClients,guides}.test.ts',
  'test/security/connectionLimits.test.ts',
  'packages/*/src/**/{damagedIds,durability,interruptedUpgrade}.test.ts',
  '**/*.{redis,es}.test.ts',
  // Start servers on the same data again and again, or one for each row of a table.
  'test/{move,upgrades}/**/*.test.ts',
  'test/backup/{backup,pointInTime}.test.ts',
  'test/commandLine/transfer.test.ts',
  'test/kit/contracts.test.ts',
  'test/plugins/misbehavingPlugins.test.ts',
  // Send random requests for many rounds.
  'test/client/{chaos,outboxSchedules}.test.ts',
  'test/differential/matches.test.ts',
  'test/realtime/{followProperty,randomLiveQueries}.test.ts',
  'test/rights/{following,hostileNames,liveWorlds,twoWorlds}.test.ts',
  'packages/query/src/fuzz.test.ts',
  'packages/security/src/rights/rightsProperties.test.ts',
  // Crowds, floods, tens of thousands of documents, tens of megabytes.
  'test/security/{largeResults,loginCrowd,providerLoginFlood}.test.ts',
  'packages/search/src/columns/largeCollection.test.ts',
  'packages/storage-sqlite/src/search/abandonedTasks.test.ts',
];
const ALL = ['{packages,plugins,examples}/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'];
const NEVER = ['**/node_modules/**', '**/dist/**'];

/** Folder for the coverage of this run; scripts/testAll.mjs sets it. */
const coverageFolder = process.env['MILLRACE_TEST_COVERAGE'];

export default defineConfig({
  plugins: [builtWorkers],
  // By alias, not by the `source` condition: Vitest would hand that on to worker threads, which need the built files.
  resolve: {
    alias: [
      {
        find: /^@millrace\/((?:auth|protocol)-[\w-]+|opentelemetry|console)$/,
        replacement: `${root}plugins/$1/src/index.ts`,
      },
      {
        find: /^@millrace\/(client|react)\/([\w-]+)$/,
        replacement: `${root}packages/$1/src/$2/index.ts`,
      },
      { find: /^@millrace\/([\w-]+)$/, replacement: `${root}packages/$1/src/index.ts` },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ALL,
          exclude: [...NEVER, ...HEAVY],
          // They wait for servers and clocks for half of their time.
          maxWorkers: availableParallelism() + 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: HEAVY,
          exclude: NEVER,
          // Two at least: many wait for other processes.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          // After the quick tests, as Vitest requires of projects with other numbers of workers.
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // A worker loads each module once for all its files: half of the time of a run was loading.
    isolate: false,
    server: { deps: { inline: [/@millrace\//] } },
    setupFiles: ['reflect-metadata', `${root}test/restoreAfterFile.ts`],
    reporters: ['default', new SlowestFiles()],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a test waits for comes late on a busy machine: the limit is there for what never comes.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      enabled: coverageFolder !== undefined,
      provider: 'v8',
      reportsDirectory: coverageFolder ?? 'coverage',
      reporter: ['json'],
      // The check reads it after a failed run, too.
      reportOnFailure: true,
      include: ['{packages,plugins}/*/src/**/*.ts'],
      exclude: ['**/*.{test,test-d,test.support,child}.ts', '**/*.test.*.ts'],
    },
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
