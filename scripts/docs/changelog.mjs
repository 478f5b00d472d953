import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEAD = `# Changes

All packages have one version. The first section is made of \`.changeset/\` by \`node scripts/generateDocs.mjs\`; a release gives it
its number (\`node scripts/release.mjs\`).
`;

const RANKS = ['major', 'minor', 'patch'];

/**
 * CHANGELOG.md: what the changesets say, most far-reaching first, and below the sections of releases as they are.
 * @param {string} root of the repository
 * @param {string} present the file as it is; may be empty
 * @param {string} title of the first section
 */
export function changelog(root, present, title = 'Unreleased') {
  const folder = join(root, '.changeset');
  const changes = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => readChangeset(readFileSync(join(folder, file), 'utf8')));
  const released = present.match(/^## (?!Unreleased)[\s\S]*/m)?.[0] ?? '';
  const lines = RANKS.flatMap((rank) => changes.filter((change) => change.rank === rank)).map(
    ({ text, names }) => `- ${text} (${names.join(', ')})`,
  );
  const first = lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
  return [HEAD, ...first, released].join('\n').trimEnd() + '\n';
}

/** Names and kinds of change are between two lines of dashes. */
function readChangeset(source) {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
  const changed = [...head.matchAll(/^['"]?([^'":]+)['"]?: (\w+)$/gm)];
  const rank = RANKS.find((each) => changed.some(([, , kind]) => kind === each)) ?? 'patch';
  const names = changed.map(([, name]) => name.replace('@millrace/', ''));
  return { rank, names, text: text.trim().replaceAll(/\s*\n\s*/g, ' ') };
}
