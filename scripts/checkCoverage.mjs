// Of each package, the share of lines that the tests ran, out of what `npm run test:all` left in coverage/. Fails below
// 85 %. Code that runs in worker threads and child processes, where nothing is measured, counts as not run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MIN_PERCENT = 85;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}coverage`;
const reports = (existsSync(folder) ? readdirSync(folder) : [])
  .map((run) => `${folder}/${run}/coverage-final.json`)
  .filter((file) => existsSync(file));
if (reports.length === 0) {
  const isCI = process.env.CI === 'true';
  console.log(`${isCI ? 'FAIL' : 'skip'}: coverage is not measured yet: npm run test:all does it`);
  process.exit(isCI ? 1 : 0);
}

/** Path of a file → line → whether a run got there. */
const files = new Map();
for (const report of reports) {
  for (const [path, { statementMap, s: counts }] of Object.entries(JSON.parse(readFileSync(report, 'utf8')))) {
    const lines = files.get(path) ?? new Map();
    files.set(path, lines);
    for (const [id, { start }] of Object.entries(statementMap))
      lines.set(start.line, lines.get(start.line) === true || counts[id] > 0);
  }
}

const packages = new Map();
for (const [path, lines] of files) {
  const name = path.slice(root.length).split('/').slice(0, 2).join('/');
  const sum = packages.get(name) ?? { lines: 0, run: 0 };
  for (const isRun of lines.values()) {
    sum.lines++;
    if (isRun) sum.run++;
  }
  packages.set(name, sum);
}

let isLow = false;
for (const [name, { lines, run }] of [...packages].sort()) {
  const percent = lines === 0 ? 100 : (100 * run) / lines;
  if (percent < MIN_PERCENT) isLow = true;
  const remark = percent < MIN_PERCENT ? `  below ${MIN_PERCENT} %` : '';
  console.log(`${percent.toFixed(1).padStart(6)} %  ${name} (${run} of ${lines} lines)${remark}`);
  if (percent >= MIN_PERCENT && !process.argv.includes('--files')) continue;
  for (const [path, own] of files) {
    if (!path.startsWith(`${root}${name}/`)) continue;
    const missed = [...own.values()].filter((isRun) => !isRun).length;
    if (missed > 10) console.log(`          ${missed} of ${own.size} not run: ${path.slice(root.length)}`);
  }
}
process.exit(isLow ? 1 : 0);
