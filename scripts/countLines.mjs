// Counts the lines of each package: code, comments, blank lines, tests. Test suites for plugin authors count as tests.
// usage: pnpm count
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SUITES = ['packages/testing', 'packages/wire-testing'];
const TEST = /\.(test|test-d|child|test\.support)\.tsx?$|\.test\.|\/src\/Fake\w+\.ts$/;

const files = execFileSync('git', ['ls-files', 'packages/*/src/**', 'plugins/*/src/**'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(tsx?|mjs)$/.test(file));

const rows = new Map();
for (const file of files) {
  const [, name] = /^((?:packages|plugins)\/[^/]+)/.exec(file);
  const row = rows.get(name) ?? {
    files: 0,
    code: 0,
    comments: 0,
    blank: 0,
    tests: 0,
  };
  rows.set(name, row);
  const { code, comments, blank } = countLines(readFileSync(file, 'utf8'));
  const all = code + comments + blank;
  if (TEST.test(file) || SUITES.includes(name)) row.tests += all;
  else {
    row.files++;
    row.code += code;
    row.comments += comments;
    row.blank += blank;
  }
}

const total = { files: 0, code: 0, comments: 0, blank: 0, tests: 0 };
for (const row of rows.values()) for (const key of Object.keys(total)) total[key] += row[key];
const table = [...[...rows].sort(([a], [b]) => a.localeCompare(b)), ['all', total]].map(([name, row]) => ({
  package: name,
  files: row.files,
  lines: row.code + row.comments + row.blank,
  ...row,
}));
const columns = ['package', 'files', 'lines', 'code', 'comments', 'blank', 'tests'];
for (const row of [Object.fromEntries(columns.map((name) => [name, name])), ...table])
  console.log(
    columns.map((name, at) => (at === 0 ? String(row[name]).padEnd(34) : String(row[name]).padStart(10))).join(''),
  );

/** A line with code and a comment counts as code. */
function countLines(text) {
  const counts = { code: 0, comments: 0, blank: 0 };
  let isInside = false;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const trimmed = line.trim();
    if (isInside) {
      counts.comments++;
      isInside = !trimmed.includes('*/');
    } else if (trimmed === '') counts.blank++;
    else if (trimmed.startsWith('//')) counts.comments++;
    else if (trimmed.startsWith('/*')) {
      counts.comments++;
      isInside = !trimmed.includes('*/');
    } else counts.code++;
  }
  return counts;
}
