// Refuses words that plain technical English replaces: in pages, comments, messages and test titles (see REPLACEMENTS), and in
// names of the source (see NAMES). Fails with each place and the words to use instead.
// usage: node scripts/checkWords.mjs [folder]    of a folder only
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);

/** Name of a group → pattern, and what to write instead. */
const REPLACEMENTS = {
  told: [/\btold\b(?! apart)/gi, 'notified, reported, returned, receives'],
  hears: [/\b(?:hears?|heard|unheard|listens? to)\b/gi, 'is subscribed, receives, observes'],
  stands: [/\b(?:stands?|stood)\b(?! for\b)/gi, 'is'],
  anew: [/\banew\b/gi, 'again, re-read, rebuild'],
  beside: [/\bbeside\b/gi, 'in addition to, next to, compared with'],
  nobody: [/\b(?:nobody|somebody|everybody|who asks)\b/gi, 'no subscriber, another node, the caller, everyone'],
  'of its own': [/\bof (?:its|their|our|one's|your|his|her) own\b/gi, 'separate, dedicated, custom'],
  over: [/\b(?:is|are|was) over\b|\b(?:an|its|their) end\b/gi, 'expired, closed, ended'],
  'given up': [/\b(?:given|give|gives|gave) up\b/gi, 'declared dead, abandoned'],
  'a text': [/\b(?:a text|texts)\b(?! (?:or (?:keyword|binary)|fields?|messages?|search(?:es)?|quer(?:y|ies)|frames?|nodes?)\b|, keyword)/gi, 'a string, strings'],
  words: [/\b(?:own|its|their|same) words\b/gi, 'message, wording'],
  'what is': [/\bwhat (?:is|was|are|were)\b[^.,:;?()]{0,30} (?:is|was|are|were)\b/gi, 'a noun'],
}; // prettier-ignore
/** In these folders "a server" means Elasticsearch. */
const OF_ELASTICSEARCH =
  /^(?:packages\/(?:query|search|storage-sqlite|storage-elasticsearch)|test\/differential|docs\/reference\/engine-differences)/;
const SERVER = [/\b(?:a|the) servers?\b/gi, 'Elasticsearch'];

/** Parts of names in the source → names to use instead. */
const NAMES = {
  tell: 'notify, send',
  hears: 'receives',
  owe: 'require',
  owed: 'required',
  judge: 'decide, check, test',
  judged: 'decided, checked',
  mended: 'repaired',
};
const NAME = new RegExp(
  Object.keys(NAMES)
    .map((name) => `\\b${name}(?![a-z])|(?<=[a-z])${name[0].toUpperCase()}${name.slice(1)}(?![a-z])`)
    .join('|'),
  'g',
);

const SOURCE = /\.(?:ts|tsx|mts|mjs|js)$/;
// Generated, or quoting others.
const SKIPPED =
  /^(?:CHANGELOG\.md|scripts\/checkWords\.mjs|docs\/reference\/(?:actions|routes|configuration|events)\.md)$|api-report\.md$|Stopwords|STOP_WORDS/;
const COMMENTS_AND_STRINGS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;

/** The text of a file that people read, other characters replaced by blanks, so that lines stay where they are. */
function prose(file, content) {
  const blank = (text) => text.replace(/[^\n]/g, ' ');
  if (!SOURCE.test(file)) return content.replace(/^```[\s\S]*?^```/gm, blank).replace(/`[^`\n]*`/g, blank);
  let kept = '';
  let from = 0;
  for (const { 0: text, index } of content.matchAll(COMMENTS_AND_STRINGS)) {
    // A string without two blanks is rarely a sentence.
    const isProse = text.startsWith('/') || (text.match(/ /g)?.length ?? 0) > 1;
    const read = text.startsWith('/') ? text.replace(/`[^`\n]*`/g, blank) : text;
    kept += blank(content.slice(from, index)) + (isProse ? read : blank(text));
    from = index + text.length;
  }
  return kept + blank(content.slice(from));
}

/** The source without comments and strings. */
function code(content) {
  return content.replace(COMMENTS_AND_STRINGS, (text) => text.replace(/[^\n]/g, ' '));
}

const folder = process.argv[2];
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => (SOURCE.test(file) || file.endsWith('.md')) && !SKIPPED.test(file))
  .filter((file) => folder === undefined || file.startsWith(folder));
let count = 0;
for (const file of files) {
  const content = readFileSync(new URL(file, root), 'utf8');
  const lines = prose(file, content).split('\n');
  const groups = Object.values(REPLACEMENTS);
  if (OF_ELASTICSEARCH.test(file)) groups.push(SERVER);
  for (const [pattern, instead] of groups) {
    lines.forEach((line, i) => {
      for (const [found] of line.matchAll(pattern)) {
        count++;
        console.error(`${file}:${i + 1}: "${found}": ${instead}: ${line.trim().slice(0, 140)}`);
      }
    });
  }
  if (!SOURCE.test(file)) continue;
  code(content)
    .split('\n')
    .forEach((line, i) => {
      for (const [found] of line.matchAll(NAME)) {
        count++;
        console.error(
          `${file}:${i + 1}: name with "${found}": ${NAMES[found.toLowerCase()]}: ${line.trim().slice(0, 140)}`,
        );
      }
    });
}
console.log(`${files.length} files, ${count} words to replace`);
process.exit(count > 0 ? 1 : 0);
