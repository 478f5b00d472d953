// Checks what comments, tests and pages cite: ids of rules (`SEARCH-12`) must be defined once, in a page of docs/reference;
// pages must be in the repository; section numbers of pages are refused, as pages of this repository have none. A test
// must cite each rule.
// usage: node scripts/checkCites.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const root = new URL('..', import.meta.url);
const read = (file) => readFileSync(new URL(file, root), 'utf8');

const TEXT = /\.(?:ts|tsx|mts|mjs|js|md|json|yaml)$/;
const PAGE = /^docs\/reference\/([\w-]+)\.md$/;
const TEST = /(?:\.test\.|^test\/|^packages\/testing\/|^packages\/wire-testing\/|\.test\.support\.)/;
/** Names of pages that programs make. */
const FOREIGN_PAGES = new Set(['index.md', 'README.md']);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => TEXT.test(file) && file !== 'pnpm-lock.yaml' && file !== 'scripts/checkCites.mjs');
const problems = [];

/** Rule id → page that defines it. */
const rules = new Map();
for (const file of files) {
  if (!PAGE.test(file)) continue;
  for (const [, id] of read(file).matchAll(/\*\*([A-Z]+-\d+)\*\*/g)) {
    if (rules.has(id)) problems.push(`${file}: ${id} is defined twice`);
    rules.set(id, file);
  }
}
const prefixes = [...new Set([...rules.keys()].map((id) => id.split('-')[0]))];
const CITE = new RegExp(String.raw`(?<![\w-])(?:${prefixes.join('|')})-\d+\b`, 'g');
const LINK = new RegExp(String.raw`\[((?:${prefixes.join('|')})-\d+)\]\(([^)#]*)`, 'g');
const pages = files.filter((file) => file.endsWith('.md'));
const isPage = (path) => pages.some((file) => file === path || file.endsWith(`/${path}`));

const tested = new Set();
for (const file of files) {
  const isTest = TEST.test(file);
  read(file)
    .split('\n')
    .forEach((line, i) => {
      const report = (problem) => problems.push(`${file}:${i + 1}: ${problem}`);
      for (const [id] of line.matchAll(CITE)) {
        if (!rules.has(id)) report(`no page of docs/reference defines ${id}`);
        else if (isTest) tested.add(id);
      }
      for (const [, id, target] of line.matchAll(LINK)) {
        const page = rules.get(id);
        if (page !== undefined && target !== '' && basename(target) !== basename(page)) {
          report(`${id} is defined in ${page}, not in ${target}`);
        }
      }
      for (const [page] of line.matchAll(/(?<![\w./*<>${}-])[\w][\w./-]*\.md\b/g)) {
        if (!isPage(page) && !FOREIGN_PAGES.has(basename(page))) report(`${page} is not in the repository`);
      }
      if (/\.md\)?,? (?:§|sections? |[A-Z]?\d)|\((?:sections? |§)\d/.test(line)) {
        report('cites a section number: cite a rule (SEARCH-12), or state the reason');
      }
    });
}

const untested = [...rules].filter(([id]) => !tested.has(id));
for (const [id, page] of untested) problems.push(`${page}: no test cites ${id}`);
console.log(`${rules.size} rules, ${untested.length} without a test that cites them`);
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
