// Writes out the kernel's public types (packages/kernel/api-report.md), or with --check tells whether they have changed:
// a diff there needs a changeset.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../packages/kernel/dist/', import.meta.url);
const source = new URL('../packages/kernel/src/', import.meta.url);
const report = new URL('../packages/kernel/api-report.md', import.meta.url);

const declarations = readdirSync(dist, { recursive: true })
  .filter((file) => file.endsWith('.d.ts') && !file.includes('.test.'))
  // What an earlier build left of a file that has moved is no part of the report.
  .filter((file) => existsSync(new URL(file.replace(/\.d\.ts$/, '.ts'), source)))
  .sort();
const parts = declarations.map((file) => {
  const text = readFileSync(new URL(file, dist), 'utf8')
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/^import .*$|^\/\/# .*$/gm, '')
    .replace(/\n\s*\n+/g, '\n')
    .trim();
  return `## ${file.replace(/\.d\.ts$/, '')}\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
});
const text = `# Public types of @millrace/kernel\n\nMade by \`node scripts/apiReport.mjs\`. A change here is a change for plugin authors: it needs a changeset.\n\n${parts.join('\n')}`;

if (!process.argv.includes('--check')) writeFileSync(report, text);
else if (readFileSync(report, 'utf8') !== text) {
  console.error('The public types of the kernel have changed: run `node scripts/apiReport.mjs` and add a changeset');
  process.exit(1);
}
