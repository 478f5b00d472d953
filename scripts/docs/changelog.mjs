import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEAD = `# Changes

All packages have one version. The first section is made of \`.changeset/\` by \`node scripts/generateDocs.mjs\`; a release gives it
its number (\`node scripts/release.mjs\`). Each change is one sentence; the pages of docs/ describe it.
`;

const KINDS = [
  ['New', ['major', 'minor']],
  ['Fixed and improved', ['patch']],
];
/** Longer sentences end at their first colon or semicolon. */
const MAX_SENTENCE = 240;

/**
 * CHANGELOG.md: what the changesets say, by kind and package, breaking changes first, and below the sections of releases as they are.
 * @param {string} root of the repository
 * @param {string} present the file as it is; may be empty
 * @param {string} title of the first section
 */
export function changelog(root, present, title = 'Unreleased') {
  const changes = readChangesets(root);
  const released = present.match(/^## (?!Unreleased)[\s\S]*/m)?.[0] ?? '';
  const sections = [
    breakingChanges(changes),
    ...KINDS.map(([name, ranks]) =>
      section(
        name,
        changes.filter(({ rank }) => ranks.includes(rank)),
      ),
    ),
  ];
  const first = changes.length === 0 ? [] : [`## ${title}`, '', ...sections.flat()];
  return [HEAD, ...first, released].join('\n').trimEnd() + '\n';
}

/** Whole, as users have to act on them: the sentence of a changeset that begins with "Breaking", or all of a major change. */
function breakingChanges(changes) {
  const lines = changes.flatMap(({ text, names, rank }) => {
    const [, sentence = rank === 'major' ? text : undefined] =
      /\bBreaking(?: for [\w ]+)?: (.+?[.!?])(?=\s+[A-Z`]|$)/.exec(text) ?? [];
    return sentence === undefined
      ? []
      : [`- **${names.join(', ')}**: ${sentence[0].toUpperCase()}${sentence.slice(1)}`];
  });
  return lines.length === 0 ? [] : ['### Breaking', '', ...lines, ''];
}

function section(name, changes) {
  const packages = [...new Set(changes.map(({ names }) => names[0]))].sort();
  const groups = packages.flatMap((first) => [
    `#### ${first}`,
    '',
    ...changes.filter(({ names }) => names[0] === first).map(({ text }) => `- ${firstSentence(text)}`),
    '',
  ]);
  return groups.length === 0 ? [] : [`### ${name}`, '', ...groups];
}

function firstSentence(text) {
  const [sentence] = /^.+?[.!?](?=\s+[A-Z`]|$)/.exec(text) ?? [text];
  if (sentence.length <= MAX_SENTENCE) return sentence;
  const [start] = /^[^`(:;]*(?:(?:`[^`]*`|\([^)]*\))[^`(:;]*)*(?=[:;] )/.exec(sentence) ?? [''];
  return start === '' ? sentence : `${start}.`;
}

/** @returns `[{path, rank, names, text}]`: `rank` is the most far-reaching of its packages */
export function readChangesets(root) {
  const folder = join(root, '.changeset');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => ({ path: join(folder, file), ...readChangeset(readFileSync(join(folder, file), 'utf8')) }));
}

/** Names and kinds of change are between two lines of dashes. */
function readChangeset(source) {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
  const changed = [...head.matchAll(/^['"]?([^'":]+)['"]?: (\w+)$/gm)];
  const rank = ['major', 'minor'].find((each) => changed.some(([, , kind]) => kind === each)) ?? 'patch';
  const names = changed.map(([, name]) => name.replace('@millrace/', ''));
  return { rank, names, text: text.trim().replaceAll(/\s*\n\s*/g, ' ') };
}
