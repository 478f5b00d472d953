// Installs packed packages with npm into an empty folder, and does there what the guides say. Nothing comes from the workspace.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../docs/codeBlocks.mjs';
import { startServer } from '../startServer.mjs';
import { runIn } from './runIn.mjs';

const ADDRESS = 'http://127.0.0.1:7511';
const GUIDES = ['quick-start', 'chat'];
/** That the guides install for their pages. */
const FOR_PAGES = ['vite', 'react', 'react-dom'];

/**
 * @param {{ tree: string, to: string, tarballs: string[] }} release
 * @param {string} project gets the installation; is made
 * @param {(step: string) => void} report
 * @throws Error with the output of what failed
 */
export async function tryPackages({ tree, to, tarballs }, project, report) {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  runIn(project, 'npm', 'install', ...tarballs, ...FOR_PAGES);
  checkInstalled(project, to, tarballs.length);
  report(`npm installs ${tarballs.length} packages ${to} from their tarballs`);
  for (const name of GUIDES) {
    // Node finds packages in the folders above.
    const place = join(project, name);
    mkdirSync(place);
    await doGuide(readFileSync(join(tree, `docs/guide/${name}.md`), 'utf8'), place, project);
    report(`docs/guide/${name}.md: commands, programs and page work`);
  }
  await tryPlugin(project);
  report('a plugin from a tarball is loaded by "plugins" of millrace.config.json alone');
}

function checkInstalled(project, version, count) {
  const scope = join(project, 'node_modules/@millrace');
  const ours = [
    ...readdirSync(scope).map((name) => join(scope, name)),
    ...['millrace', 'create-millrace'].map((name) => join(project, 'node_modules', name)),
  ];
  if (ours.length !== count) throw new Error(`${ours.length} of ${count} packages are installed`);
  for (const path of ours) {
    const { name, version: found } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    if (found !== version || lstatSync(path).isSymbolicLink()) throw new Error(`${name} is ${found}, at ${path}`);
  }
}

/** Writes its files, starts its server, runs its commands, compares what they print, and builds its page. */
async function doGuide(guide, place, project) {
  let server;
  let printed;
  const withAddress = (text) => text.replaceAll(ADDRESS, server?.url ?? ADDRESS);
  try {
    for (const { language, text, lead } of codeBlocks(guide)) {
      const [, file] = /^(?:\/\/|<!--) ([\w.]+)/m.exec(text) ?? [];
      const isConfiguration = lead.endsWith('`millrace.config.json`:');
      if (isConfiguration) writeFileSync(join(place, 'millrace.config.json'), text);
      else if (language === 'sh') {
        if (/^npx millrace$/m.test(text)) server = await startMillrace(project, place);
        const own = text.replace(/^(?:npm (?:init|install) |npx ).*$/gm, '').trim();
        printed = own === '' ? undefined : runIn(place, 'bash', '-ec', withAddress(own));
      } else if (printed !== undefined && ['text', 'json'].includes(language)) {
        const isRight = language === 'text' ? printed === text : printed.includes('"status":200');
        if (!isRight) throw new Error(`the guide shows\n${text}\nand this came:\n${printed}`);
        printed = undefined;
      } else if (file !== undefined) writeFileSync(join(place, file), withAddress(text));
    }
    runIn(place, join(project, 'node_modules/.bin/vite'), 'build', '--logLevel', 'error');
  } finally {
    await server?.stop();
  }
}

/** The template of a plugin, packed and installed as an operator does it. */
async function tryPlugin(project) {
  const name = 'millrace-doors';
  runIn(
    project,
    join(project, 'node_modules/.bin/create-millrace'),
    name,
    '--template',
    'plugin-controller',
    '--js',
    '--yes',
  );
  const tarball = runIn(join(project, name), 'npm', 'pack', '--silent').trim();
  runIn(project, 'npm', 'install', `./${name}/${tarball}`);
  const place = join(project, 'operator');
  mkdirSync(place);
  writeFileSync(join(place, 'millrace.config.json'), JSON.stringify({ plugins: [name] }));
  const server = await startMillrace(project, place);
  try {
    const response = await fetch(`${server.url}/_doors/front/_open?degrees=30`, { method: 'POST' });
    if (!response.ok) throw new Error(`the plugin answers ${response.status}: ${await response.text()}`);
  } finally {
    await server.stop();
  }
}

function startMillrace(project, place) {
  return startServer([join(project, 'node_modules/.bin/millrace')], { cwd: place, limitMs: 60_000 });
}
