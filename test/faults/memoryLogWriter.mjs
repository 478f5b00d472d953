// A process of memoryLogSync.test.ts, run under strace: writes keys with "sync: always" and prints a line per answer.
// usage: node memoryLogWriter.mjs FOLDER COUNT MIN-REWRITE-BYTES
import { EmbeddedEngine } from '@millrace/memory-store';

const [, , dataDir, count, minRewriteBytes] = process.argv;
const engine = new EmbeddedEngine({
  dataDir,
  sync: 'always',
  maxMemory: 0,
  evictionPolicy: 'noeviction',
  maxValueBytes: 1_048_576,
  minRewriteBytes: Number(minRewriteBytes),
});
await engine.start();
for (let at = 0; at < Number(count); at++) {
  await engine.run(['SET', `key-${at % 10}`, `value-${at}-${'x'.repeat(100)}`]);
  process.stdout.write(`acknowledged ${at}\n`);
}
await engine.rewriteLog();
await engine.stop();
