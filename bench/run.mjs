// `pnpm bench [row…] [--rounds N] [--quick]`: each row measures us and a peer in interleaved rounds of one run and prints
// the ratio of the medians. `elasticsearch` also takes --documents N, --text-heavy and --only REGEXP (searches whose title
// fits, and one import) and --runs N. Absolute figures on shared machines are noise.
// `pnpm bench compare <commit>` compares the working tree with a commit instead, and ends with 1 if a row became worse.
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

const { values: options, positionals: wanted } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    documents: { type: 'string' },
    'text-heavy': { type: 'boolean', default: false },
    only: { type: 'string' },
    runs: { type: 'string' },
    size: { type: 'string' },
  },
  allowPositionals: true,
});
const isQuick = options.quick;
const rounds = options.rounds === undefined ? (isQuick ? 1 : 5) : Number(options.rounds);
const settings = {
  rounds,
  isQuick,
  documentCount: options.documents === undefined ? undefined : Number(options.documents),
  isTextHeavy: options['text-heavy'],
  only: options.only,
  runs: options.runs === undefined ? undefined : Number(options.runs),
  size: options.size === undefined ? undefined : Number(options.size),
};

if (wanted[0] === 'compare') {
  const [, commit] = wanted;
  if (commit === undefined) throw new Error('compare: expected a commit, such as HEAD~1');
  const { compare } = await import('./compare/compare.mjs');
  const { rounds: pairs, only } = options;
  const worse = await compare(commit, { pairs: pairs && Number(pairs), only, isShort: isQuick });
  process.exit(worse.length === 0 ? 0 : 1);
}

const files = readdirSync(new URL('rows', import.meta.url))
  .filter((file) => file.endsWith('.mjs'))
  .sort();
const names = files.map((file) => file.replace('.mjs', ''));
for (const name of wanted) {
  if (names.includes(name)) continue;
  console.error(`Unknown row ${name}: expected one of ${names.join(', ')}`);
  process.exit(1);
}

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} interleaved rounds\n`);
console.log('| row | ours | peer | ratio | target |');
console.log('|---|---|---|---|---|');
for (const name of wanted.length === 0 ? names : wanted) {
  const { rows } = await import(new URL(`rows/${name}.mjs`, import.meta.url));
  for await (const row of rows(settings)) {
    const { title, unit, ours, peer, target, note } = row;
    const [mine, theirs] = [median(ours), peer === undefined ? undefined : median(peer)];
    // Times: how many times faster we are.
    const quotient = unit === 'ms' || unit === 'µs' ? theirs / mine : mine / theirs;
    const ratio = theirs === undefined ? '–' : quotient.toFixed(2);
    console.log(
      `| ${title} | ${show(mine)} ${unit} | ${theirs === undefined ? '–' : `${show(theirs)} ${unit}`} | ${ratio} | ${target ?? '–'} |${note ? ` ${note}` : ''}`,
    );
  }
}
process.exit(0);

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function show(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
