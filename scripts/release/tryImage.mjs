// Builds and starts the image of examples/deploy/Dockerfile with packed packages in place of those of npm: by docker or podman
// where one runs, otherwise its steps in a plain folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../startServer.mjs';
import { runIn } from './runIn.mjs';

const INSTALL = 'millrace@${MILLRACE_VERSION}';
const HEALTHY_WITHIN_S = 60;

/**
 * @param {{ tree: string, to: string, tarballs: string[] }} release
 * @param {string} folder is made
 * @returns {Promise<string>} what was tried
 */
export async function tryImage({ tree, to, tarballs }, folder) {
  const context = join(folder, 'context');
  cpSync(join(tree, 'examples/deploy'), context, { recursive: true });
  const dockerfile = readFileSync(join(context, 'Dockerfile'), 'utf8');
  if (!dockerfile.includes(INSTALL)) throw new Error(`the Dockerfile doesn't install ${INSTALL}`);
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  if (engine === undefined) return tryInFolder(dockerfile, context, tarballs, folder);
  const packed = join(context, 'packed');
  mkdirSync(packed);
  for (const tarball of tarballs) cpSync(tarball, join(packed, basename(tarball)));
  const own = dockerfile.replace(/^RUN npm init/m, 'COPY packed /packed\n$&').replace(INSTALL, '/packed/*.tgz');
  writeFileSync(join(context, 'Dockerfile'), own);
  await tryWithEngine(engine, context, `millrace-trial:${to}`);
  return `the image is built by ${engine}, starts, is healthy and stops`;
}

async function tryWithEngine(engine, context, image) {
  const run = (...args) => execFileSync(engine, args, { encoding: 'utf8' }).trim();
  run('build', '-t', image, context);
  const container = run('run', '--detach', '--read-only', '--tmpfs', '/tmp', '--volume', '/data', image);
  try {
    for (let seconds = 0; !isHealthy(engine, container); seconds++) {
      if (seconds === HEALTHY_WITHIN_S) throw new Error(`the container isn't healthy:\n${run('logs', container)}`);
      await sleep(1_000);
    }
    run('stop', container);
    const code = run('inspect', '--format', '{{.State.ExitCode}}', container);
    if (code !== '0') throw new Error(`the container has ended with ${code}:\n${run('logs', container)}`);
  } finally {
    run('rm', '--force', '--volumes', container);
    run('rmi', image);
  }
}

function isHealthy(engine, container) {
  return spawnSync(engine, ['exec', container, 'node', '/app/healthcheck.mjs'], { stdio: 'ignore' }).status === 0;
}

/** `test/process/containerImage.test.ts` looks at user, privileges and read-only root without an engine. */
async function tryInFolder(dockerfile, context, tarballs, folder) {
  const app = join(folder, 'app');
  mkdirSync(app);
  runIn(app, 'npm', 'init', '-y');
  runIn(app, 'npm', 'install', '--omit=dev', ...tarballs);
  cpSync(join(context, 'healthcheck.mjs'), join(app, 'healthcheck.mjs'));
  const [, variables] = /^ENV ((?:[^\n]*\\\n)*[^\n]*)/m.exec(dockerfile);
  const [, entryPoint] = /^ENTRYPOINT (.*)$/m.exec(dockerfile);
  // The folder of data and the ports are those of the trial.
  const environment = variables.split(/[\s\\]+/).filter((each) => !each.startsWith('MILLRACE_SERVER_DATA_DIR'));
  const command = JSON.parse(entryPoint).map((part) => part.replace(/^\/app/, app));
  const server = await startServer(['env', ...environment, ...command], { cwd: folder, limitMs: 60_000 });
  try {
    runIn(app, 'env', `MILLRACE_HTTP_PORT=${new URL(server.url).port}`, 'node', 'healthcheck.mjs');
  } finally {
    const code = await server.stop();
    if (code !== 0) throw new Error(`the server has ended with ${code}:\n${server.output()}`);
  }
  return 'no container engine runs here: the steps of the Dockerfile work in a plain folder, the server starts, is healthy and stops';
}
