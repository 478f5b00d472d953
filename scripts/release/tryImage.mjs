// Builds and starts the image of examples/deploy/Dockerfile with packed packages in place of those of npm: by docker or podman
// where one runs, otherwise its steps in a plain folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../startServer.mjs';
import { buildInFolder } from './buildInFolder.mjs';
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
  const packed = join(context, 'packed');
  mkdirSync(packed);
  for (const tarball of tarballs) cpSync(tarball, join(packed, basename(tarball)));
  const own = dockerfile.replace(/^RUN npm init/m, 'COPY packed /packed\n$&').replace(INSTALL, '/packed/*.tgz');
  writeFileSync(join(context, 'Dockerfile'), own);
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  if (engine === undefined) return tryInFolder(context, folder);
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
async function tryInFolder(context, folder) {
  const { root, cwd, environment, entryPoint, healthCheck } = buildInFolder(context, join(folder, 'stages'));
  const server = await startServer(['env', ...environment, ...entryPoint], { cwd, limitMs: 60_000 });
  try {
    runIn(cwd, 'env', `MILLRACE_HTTP_PORT=${new URL(server.url).port}`, ...healthCheck);
  } finally {
    const code = await server.stop();
    if (code !== 0) throw new Error(`the server has ended with ${code}:\n${server.output()}`);
  }
  const kept = readdirSync(join(root, 'data'));
  if (!kept.includes('millrace.db')) throw new Error(`/data has ${kept.join(', ')} and no millrace.db`);
  return 'no container engine runs here: the steps of the Dockerfile work in a plain folder, the server starts, is healthy, keeps its data in /data and stops';
}
