// Counts the words of docs/ by section, as `wc -w` does. Decisions are for maintainers: shares are those of the other pages.
// usage: pnpm count
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const sections = { guides: [], 'reference, by hand': [], 'reference, generated': [], others: [], decisions: [] };
const files = execFileSync('git', ['ls-files', 'docs/*.md'], { encoding: 'utf8' }).trim().split('\n');
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  sections[sectionOf(file, text)].push(text.split(/\s+/).filter(Boolean).length);
}
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const { decisions, ...read } = sections;
const total = sum(Object.values(read).flat());

console.log('section                        pages     words  share');
for (const [name, words] of Object.entries(sections)) {
  const share = words === decisions ? '' : `${Math.round((100 * sum(words)) / total)} %`;
  console.log(
    `${name.padEnd(26)}${String(words.length).padStart(10)}${String(sum(words)).padStart(10)}${share.padStart(7)}`,
  );
}

function sectionOf(file, text) {
  const [, folder] = /^docs\/(?:(\w+)\/)?/.exec(file);
  if (folder === 'guide') return 'guides';
  if (folder === 'decisions') return 'decisions';
  if (folder === 'reference') return text.startsWith('<!-- Made by') ? 'reference, generated' : 'reference, by hand';
  return 'others';
}
