// Numbers a release: the version of every package and the section of CHANGELOG.md. Publishes nothing; look at the diff, commit,
// and then `npm run bootstrap && npm run build && pnpm -r publish`.
// usage: node scripts/release.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { changelog } from './docs/changelog.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}CHANGELOG.md`;
const text = changelog(root, readFileSync(file, 'utf8'), 'NEXT');
execFileSync('node_modules/.bin/changeset', ['version'], { cwd: root, stdio: 'inherit' });
const { version } = JSON.parse(readFileSync(`${root}packages/server/package.json`, 'utf8'));
const day = new Date().toISOString().slice(0, 10);
writeFileSync(file, text.replace('## NEXT', `## ${version} (${day})`));
