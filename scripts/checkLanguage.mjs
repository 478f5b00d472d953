// Refuses sentences that are hard to read in guides and hand-written reference pages: long ones, "is a 404", "So is …", and sentences
// with many back-references. Pages in scripts/languageDebt.json may have as many as it says, others none.
// usage: node scripts/checkLanguage.mjs [--list PAGE]    prints the findings of one page too, whatever it may have
//        node scripts/checkLanguage.mjs --write          writes the present numbers, after pages have become better
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);
const DEBT = new URL('languageDebt.json', import.meta.url);
/** Words per sentence. */
const MAX_WORDS = { guide: 30, reference: 40 };
const MAX_REFERENCES = 2;
/** Words that point at a noun elsewhere: the reader has to remember it. Repeat the noun. */
const BACK_REFERENCE =
  /\b(?:ones|those|that of|such(?! as)|one(?=[.,;:)]| (?:that|whose|which|of|with|is|has|may)\b))\b/gi;

const RULES = [
  [/\b(?:is|are|as) an? [45]\d\d\b|\b(?:is|are) (?:answered )?[45]\d\d\b/i, 'say "returns 404" or "fails with status 404"'],
  [/^So (?:is|are|has|have|do|does|can)\b/, 'repeat the verb'],
]; // prettier-ignore

const GENERATED =
  /reference\/(?:actions|routes|configuration|command-line|events|client|react|kernel|plugin-kit|testing|errors)\.md$/;

/** @returns findings `{line, problem, text}` of one page */
function examine(file) {
  const limit = file.includes('/reference/') ? MAX_WORDS.reference : MAX_WORDS.guide;
  return sentencesOf(readFileSync(new URL(file, root), 'utf8')).flatMap(({ line, text }) => {
    const words = text.split(/\s+/).length;
    const references = text.match(BACK_REFERENCE)?.length ?? 0;
    return [
      ...(words > limit ? [`${words} words, at most ${limit}: make two sentences or a list`] : []),
      ...(references > MAX_REFERENCES ? [`${references} back-references: repeat the noun`] : []),
      ...RULES.filter(([pattern]) => pattern.test(text)).map(([, remedy]) => remedy),
    ].map((problem) => ({ line, problem, text }));
  });
}

/** Prose only: no code, tables, headings. A list item is a paragraph. */
function sentencesOf(markdown) {
  const blank = (text) => text.replace(/[^\n]/g, '');
  const lines = markdown
    .replace(/^ *```[\s\S]*?^ *```/gm, blank)
    .replace(/^<!--[\s\S]*?-->/gm, blank)
    .split('\n');
  const paragraphs = [];
  let open;
  lines.forEach((line, at) => {
    const isBreak = line.trim() === '' || /^\s*(?:\||#|>|!\[|<)/.test(line);
    const item = /^\s*(?:[-*]|\d+\.)\s+/.exec(line);
    if (isBreak || item) open = undefined;
    if (isBreak) return;
    if (open === undefined) paragraphs.push((open = { line: at + 1, text: '' }));
    open.text += ` ${line.slice(item?.[0].length ?? 0).trim()}`;
  });
  return paragraphs.flatMap(({ line, text }) =>
    text
      .replace(/`[^`]*`/g, 'Code')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/\*\*[A-Z]+-\d+\*\*/g, '')
      .replace(/\*+/g, '')
      .trim()
      .split(/(?<=[.!?]["”)]?)\s+(?=["“(]?[A-Z0-9])/)
      .map((sentence) => ({ line, text: sentence })),
  );
}

const args = process.argv.slice(2);
const listed = args[0] === '--list' ? args[1] : undefined;
const debt = JSON.parse(readFileSync(DEBT, 'utf8'));
const files = execFileSync('git', ['ls-files', 'docs/guide', 'docs/reference', 'docs/*.md', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /^docs\/(?:guide|reference)\/.*\.md$/.test(file) && !GENERATED.test(file));
const found = new Map(files.map((file) => [file, examine(file)]));

if (args[0] === '--write') {
  const counts = [...found].filter(([, { length }]) => length > 0).map(([file, { length }]) => [file, length]);
  writeFileSync(DEBT, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
} else {
  let isBad = false;
  for (const [file, findings] of found) {
    const allowed = debt[file] ?? 0;
    if (findings.length < allowed)
      console.log(`${file}: ${findings.length} of ${allowed}: run node scripts/checkLanguage.mjs --write`);
    if (findings.length <= allowed && file !== listed) continue;
    if (findings.length > allowed) isBad = true;
    for (const { line, problem, text } of findings) console.error(`${file}:${line}: ${problem}: ${text.slice(0, 160)}`);
  }
  const sum = [...found.values()].reduce((total, { length }) => total + length, 0);
  console.log(`${files.length} pages, ${sum} sentences to improve`);
  process.exit(isBad ? 1 : 0);
}
