// Checks the one-way imports between packages: which package may import which, where third-party libraries enter,
// who may read the environment, and that every export of a package is documented.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = new URL('..', import.meta.url).pathname;

/** Workspace packages that a package may import, besides itself. `testing` and `wire-testing` may be imported by tests everywhere. */
const ALLOWED = {
  actions: [],
  client: ['actions'],
  react: ['client'],
  language: [],
  query: ['language'],
  filters: ['language'],
  kernel: ['actions', 'language', 'query'],
  'plugin-kit': ['kernel'],
  storage: ['kernel', 'language', 'query', 'filters', 'search'],
  search: ['filters', 'kernel', 'language', 'query'],
  'storage-sqlite': ['kernel', 'language', 'query', 'search'],
  'storage-elasticsearch': ['kernel', 'language', 'query'],
  'memory-store': ['kernel', 'language'],
  'memory-store-redis': ['kernel'],
  security: ['kernel', 'filters', 'query', 'search'],
  realtime: ['kernel', 'filters', 'query', 'search'],
  cluster: ['kernel', 'query'],
  move: ['kernel', 'query', 'storage-sqlite'],
  backup: ['kernel', 'memory-store', 'query', 'security', 'storage-sqlite'],
  'entrypoint-http': ['kernel', 'plugin-kit'],
  // It starts servers for the tests of plugins; nothing but tests imports it.
  testing: ['kernel', 'query', 'filters', 'server'],
  // What the tests of protocol plugins share; never published.
  'wire-testing': ['kernel'],
};

/** Entries of packages; of all others "." alone. Those of client and hooks are loaded by applications that use them. */
const ENTRIES = {
  server: '.,./command',
  client: '.,./realtime,./offline,./sse,./follow',
  react: '.,./query',
};

/** Libraries that enter through some packages only. */
const ENTRANCES = {
  koa: ['entrypoint-http'],
  '@koa/router': ['entrypoint-http'],
  'node:sqlite': ['storage-sqlite'],
  '@elastic/elasticsearch': ['storage-elasticsearch'],
  convict: ['kernel'],
  semver: ['kernel'],
  jose: ['security', 'auth-oauth2'],
  passport: ['security'],
  'passport-local': ['auth-local'],
  'passport-oauth2': ['auth-oauth2'],
  '@node-saml/passport-saml': ['auth-saml'],
  '@node-rs/argon2': ['auth-local'],
  ws: ['protocol-websocket'],
  'socket.io': ['protocol-fallback'],
  aedes: ['protocol-mqtt'],
  'mqtt-packet': ['protocol-mqtt'],
  redis: ['memory-store-redis', 'cluster'],
  pino: ['server'],
  'prom-client': ['server'],
  vitest: ['testing'],
};

/**
 * Imports between folders of a package run one way: "a > b", "b > c" and "c > a" are refused. These are the arrows that
 * still close such circles; one that closes none any more must leave this list.
 */
const CIRCLE_CLOSERS = {
  // Each kind of query has its forms in one file with its definition; the forms of sorts and highlights have queries in them.
  query: ['tree > kinds'],
};

const REFUSED_NAMES = /^(utils?|helpers?|common|misc|types?|constants?|manager)$/i;

const problems = [];
const report = (file, problem) => problems.push(`${relative(root, file)}: ${problem}`);

function* sources(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (REFUSED_NAMES.test(entry.name)) report(path, 'a folder of this name says nothing: use the idea it holds');
      yield* sources(path);
    } else if (entry.name.endsWith('.ts')) yield path;
  }
}

function checkFile(path, packageName, layer) {
  const isTest = /\.test(-d|\.support)?\.ts$/.test(path);
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.worker|\.test|\.test-d)?\.ts$/, '');
  if (REFUSED_NAMES.test(name)) report(path, 'a file of this name says nothing: use the name of its main export');
  const text = readFileSync(path, 'utf8');
  for (const [, specifier] of text.matchAll(/(?:from|import)\s+'([^']+)'/g)) {
    const workspace = /^@millrace\/([^/]+)/.exec(specifier)?.[1];
    if (workspace !== undefined) checkWorkspaceImport(path, packageName, layer, workspace, isTest);
    const library =
      specifier.startsWith('node:') || !specifier.startsWith('@')
        ? specifier.split('/')[0]
        : specifier.split('/').slice(0, 2).join('/');
    const entrances = ENTRANCES[specifier] ?? ENTRANCES[library];
    if (entrances !== undefined && !entrances.includes(packageName) && !isTest) {
      report(path, `${specifier} enters through ${entrances.join(', ')} only`);
    }
  }
  if (isTest) return;
  collectServices(path, text);
  if (packageName !== 'server' && /\bprocess\.(env|exit)\b/.test(text))
    report(path, 'only server reads process.env or ends the process');
  if (
    packageName !== 'server' &&
    /\b(container|own|services)\.resolve\(/.test(text) &&
    !/register|Actions\.ts|Module\.ts/.test(path)
  ) {
    report(path, 'container.resolve belongs to composition');
  }
}

const injected = new Map();
const scoped = new Set();

/** Classes that constructors ask for, and classes of which a container has one. Tokens are in capitals. */
function collectServices(path, text) {
  for (const [, name] of text.matchAll(/@inject\((\w*[a-z]\w*)\)/g)) injected.set(name, path);
  for (const [, name] of text.matchAll(/@scoped\(Scope\.ContainerScoped\)\s+export class (\w+)/g)) scoped.add(name);
}

/** Without the decorator each class that asks for it would get a separate instance. */
function checkServices() {
  for (const [name, path] of injected)
    if (!scoped.has(name)) report(path, `${name} is injected: it needs @scoped(Scope.ContainerScoped)`);
}

/** Folders of the first level: `arrows` has "a > b" where a file of a imports one of b. */
function checkFolders(source, packageName, paths) {
  const arrows = new Set();
  for (const path of paths) {
    const [own, file] = relative(source, path).split('/');
    if (file === undefined || /\.test(-d|\.support)?\.tsx?$/.test(path)) continue;
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:from |import\()'(\.{1,2}\/[^']+)'/g)) {
      const [other, rest] = relative(source, join(dirname(path), specifier)).split('/');
      if (rest !== undefined && other !== '..' && other !== own) arrows.add(`${own} > ${other}`);
    }
  }
  const closers = CIRCLE_CLOSERS[packageName] ?? [];
  const circle = circleIn([...arrows].filter((arrow) => !closers.includes(arrow)));
  if (circle !== undefined) report(source, `${circle.join(' > ')}: imports between folders run one way`);
  for (const closer of closers) {
    const others = closers.filter((each) => each !== closer);
    if (!arrows.has(closer) || circleIn([...arrows].filter((arrow) => !others.includes(arrow))) === undefined)
      report(source, `"${closer}" closes no circle: remove it from CIRCLE_CLOSERS`);
  }
}

/** Folders that import each other in a circle, from one of them back to it; undefined if there is none. */
function circleIn(arrows) {
  const pairs = arrows.map((arrow) => arrow.split(' > '));
  const finished = new Set();
  const circleFrom = (folder, path) => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (finished.has(folder)) return undefined;
    for (const [from, to] of pairs) {
      const circle = from === folder ? circleFrom(to, [...path, folder]) : undefined;
      if (circle !== undefined) return circle;
    }
    finished.add(folder);
    return undefined;
  };
  for (const [folder] of pairs) {
    const circle = circleFrom(folder, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function checkWorkspaceImport(path, packageName, layer, workspace, isTest) {
  if (workspace === packageName || packageName === 'server') return;
  if (['testing', 'wire-testing'].includes(workspace) && isTest) return;
  if (isTest && ['storage-sqlite', 'server'].includes(workspace)) return;
  const allowed = layer === 'plugins' ? ['kernel', 'plugin-kit'] : (ALLOWED[packageName] ?? []);
  if (!allowed.includes(workspace))
    report(path, `${packageName} must not import @millrace/${workspace} (allowed: ${allowed.join(', ') || 'none'})`);
}

/** Every name that an index exports has a docstring where it is declared. */
function checkDocumented(folder) {
  const index = join(folder, 'src/index.ts');
  if (!existsSync(index)) return;
  const text = readFileSync(index, 'utf8');
  for (const [, names, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)) {
    const file = join(folder, 'src', from.replace(/\.js$/, '.ts'));
    if (!existsSync(file)) continue;
    const source = readFileSync(file, 'utf8');
    for (const raw of names.split(',')) {
      const name = raw
        .trim()
        .replace(/^type /, '')
        .split(/ as /)[0]
        .trim();
      if (name === '') continue;
      const at = source.search(
        new RegExp(
          `^export (?:declare )?(?:abstract )?(?:async )?(?:class|function\\*?|const|interface|type) ${name}\\b`,
          'm',
        ),
      );
      if (at < 0) continue;
      const before = source
        .slice(0, at)
        .trimEnd()
        .replace(/(@[a-z]+\([^)]*\)\s*)+$/, '')
        .trimEnd();
      if (!before.endsWith('*/')) report(file, `${name} is exported from index.ts and has no docstring`);
    }
  }
}

for (const layer of ['packages', 'plugins']) {
  const base = join(root, layer);
  if (!existsSync(base)) continue;
  for (const packageName of readdirSync(base)) {
    const folder = join(base, packageName);
    if (!existsSync(join(folder, 'package.json'))) continue;
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const entries = Object.keys(exports ?? { '.': null }).join();
    if (entries !== (ENTRIES[packageName] ?? '.'))
      report(join(folder, 'package.json'), `its exports are not ${ENTRIES[packageName] ?? '.'}`);
    const paths = [...sources(join(folder, 'src'))];
    for (const path of paths) checkFile(path, packageName, layer);
    checkFolders(join(folder, 'src'), packageName, paths);
    checkDocumented(folder);
  }
}

checkServices();

for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${problems.length} problems with layers, names or docstrings`);
  process.exit(1);
}
