// What is published: packs all packages and holds each tarball to publint, to "are the types wrong" (what
// `attw --profile esm-only` looks at) and to our rules. Needs a build.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packPackages } from './packPackages.mjs';

// Node ≥ 20.19 gives a `require` the ES module itself: the two below speak of older ones.
const IGNORED_RESOLUTIONS = ['node10', 'node16-cjs'];

const folder = await mkdtemp(join(tmpdir(), 'millrace-pack-'));
const problems = [];
try {
  const tarballs = await packPackages(folder);
  for (const path of tarballs) {
    const report = (problem) => problems.push(`${basename(path)}: ${problem}`);
    const bytes = await readFile(path);
    const manifest = JSON.parse(read(path, 'package/package.json'));
    checkManifest(manifest, report);
    checkFiles(list(path), manifest, report);
    await checkWithPublint(bytes, report);
    if (manifest.exports !== undefined) await checkTypes(bytes, report);
  }
  console.log(`${tarballs.length} packages packed and checked`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

async function checkWithPublint(bytes, report) {
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  for (const message of messages) report(`publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function checkTypes(bytes, report) {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  if (result.types === false) return report('types: there are none');
  for (const { kind, resolutionKind, resolutionOption, ...more } of result.problems) {
    if (IGNORED_RESOLUTIONS.includes(resolutionKind ?? resolutionOption)) continue;
    report(`types: ${kind} (${resolutionKind ?? resolutionOption ?? ''}) ${JSON.stringify(more)}`);
  }
}

function checkManifest(manifest, report) {
  const { name, engines, keywords = [], publishConfig, license, description } = manifest;
  if (engines?.node !== '>=20.19.0') report('"engines" must ask for node >=20.19.0');
  if (license !== 'Apache-2.0' || !description) report('it needs a licence and a description');
  if (publishConfig?.access !== 'public') report('"publishConfig.access" must be "public"');
  if (publishConfig?.provenance !== true) report('"publishConfig.provenance" must be true');
  if (!keywords.includes('millrace')) report('keyword "millrace" is missing');
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    for (const [dependency, range] of Object.entries(manifest[kind] ?? {})) {
      if (/^(workspace|catalog|link|file):/.test(range)) report(`${kind}: ${dependency} is "${range}"`);
    }
  }
  for (const script of ['preinstall', 'install', 'postinstall'])
    if (manifest.scripts?.[script] !== undefined) report(`it has the install script "${script}"`);
  if (!/^@millrace\/(?:(?:auth|protocol)-|console$)/.test(name)) return;
  if (!keywords.includes('millrace-plugin')) report('keyword "millrace-plugin" is missing');
  if (!manifest.peerDependencies?.['@millrace/kernel']?.startsWith('^'))
    report('a plugin takes the kernel as a peer, with a caret range');
  if (manifest.dependencies?.['@millrace/kernel'] !== undefined) report('a plugin must not bring its kernel');
}

function checkFiles(files, { exports, bin = {} }, report) {
  for (const needed of ['README.md', 'LICENSE', ...Object.values(bin)])
    if (!files.includes(join('package', needed))) report(`${needed} is missing`);
  for (const file of files) {
    const isTemplate = file.startsWith('package/templates/');
    // npm takes every file that begins with "readme", whatever "files" says.
    const isReadme = /\/readme[^/]*$/i.test(file);
    if (!isTemplate && !isReadme && /\.(test|child|tsbuildinfo|d\.ts\.map)\b/.test(file))
      report(`${file} is of no use there`);
  }
  if (exports !== undefined && !files.includes('package/dist/index.js'))
    report('dist/index.js is missing: build first');
}

function list(tarball) {
  return execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
}

function read(tarball, file) {
  return execFileSync('tar', ['xzOf', tarball, file], { encoding: 'utf8' });
}
