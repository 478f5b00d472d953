// `pnpm bench [row…] [--rounds N] [--quick]`: each row measures us and a peer in interleaved rounds of one run and prints
// the ratio of the medians. Absolute figures on shared machines are noise.
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';

const options = process.argv.slice(2);
const isQuick = options.includes('--quick');
const roundsAt = options.indexOf('--rounds');
const rounds = roundsAt < 0 ? (isQuick ? 1 : 5) : Number(options[roundsAt + 1]);
// The number behind --rounds is no row; without --rounds there is none (roundsAt is -1).
const wanted = options.filter(
  (option, i) => !option.startsWith('--') && (roundsAt < 0 || i !== roundsAt + 1),
);

const files = readdirSync(new URL('rows', import.meta.url))
  .filter((file) => file.endsWith('.mjs'))
  .sort();
const names = files.map((file) => file.replace('.mjs', ''));
for (const name of wanted) {
  if (names.includes(name)) continue;
  console.error(`Unknown row ${name}: expected one of ${names.join(', ')}`);
  process.exit(1);
}

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} interleaved rounds\n`,
);
console.log('| row | ours | peer | ratio | target |');
console.log('|---|---|---|---|---|');
for (const name of wanted.length === 0 ? names : wanted) {
  const { rows } = await import(new URL(`rows/${name}.mjs`, import.meta.url));
  for await (const { title, unit, ours, peer, target, note } of rows({ rounds, isQuick })) {
    const [mine, theirs] = [median(ours), peer === undefined ? undefined : median(peer)];
    const ratio = theirs === undefined ? '–' : (mine / theirs).toFixed(2);
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
