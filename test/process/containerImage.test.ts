import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { readInstructions } from '../../scripts/release/buildInFolder.mjs';

/*
 * Runs the image of examples/deploy/Dockerfile without a container engine: its environment, user, working directory,
 * entry point and health check in a separate mount namespace with a read-only root, without capabilities. The packages
 * are those of this checkout; test/packages installs them by npm.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const READY_WITHIN_MS = 60_000;

/** Builds the file system at $1: the system's programs and libraries, the image's /app, and nothing writable but /data and /tmp. */
const BUILD = `
set -e
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir usr proc dev tmp data repo app app/node_modules
for each in bin lib lib64 sbin; do
  if [ -L "/$each" ]; then cp -P "/$each" "$each"
  elif [ -d "/$each" ]; then mkdir "$each"; mount --bind "/$each" "$each"; mount -o remount,bind,ro "$each"; fi
done
touch node dev/null dev/urandom
mount --bind "$2" node
mount --bind /dev/null dev/null
mount --bind /dev/urandom dev/urandom
mount --bind /usr usr && mount -o remount,bind,ro usr
mount --bind "$3" repo && mount -o remount,bind,ro repo
mount --rbind /proc proc
ln -s /repo/packages/millrace app/node_modules/millrace
cp "$3/examples/deploy/healthcheck.mjs" app/
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=0700,uid="$4",gid="$4" tmpfs data
mount -o remount,ro "$1"
shift 4
exec "$@"`;

/** Of each kind of instruction the last one. */
function readDockerfile() {
  const text = readFileSync(join(root, 'examples/deploy/Dockerfile'), 'utf8');
  const instructions = (readInstructions as (text: string) => readonly { name: string; rest: string }[])(text);
  const stage = new Map(instructions.map(({ name, rest }) => [name, rest]));
  const find = (name: string, pattern: RegExp) => {
    const [, found] = pattern.exec(stage.get(name) ?? '') ?? [];
    if (found === undefined) throw new Error(`the Dockerfile has no ${name} like ${pattern.source}`);
    return found;
  };
  return {
    environment: find('ENV', /^(.*)$/).split(' '),
    user: find('USER', /^(\d+):\d+$/),
    folder: find('WORKDIR', /^(.*)$/),
    entryPoint: JSON.parse(find('ENTRYPOINT', /^(.*)$/)) as string[],
    healthCheck: JSON.parse(find('HEALTHCHECK', / CMD (.*)$/)) as string[],
  };
}

/** Why the test can't run here; undefined if it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  for (const program of ['unshare', 'nsenter', 'setpriv', 'chroot'])
    if (spawnSync(program, ['--version']).status !== 0) return `needs ${program}`;
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]);
  return status === 0 ? undefined : 'needs the right to mount';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the image of examples/deploy', () => {
  const image = readDockerfile();
  let folder: string;
  let child: ChildProcess | undefined;
  let output = '';

  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-image-'))));
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  /** A command as the image's user within the file system. */
  const inside = (command: readonly string[], environment: readonly string[]) => [
    ...['chroot', folder, 'setpriv', `--reuid=${image.user}`, `--regid=${image.user}`],
    ...['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
    ...['env', '-i', `--chdir=${image.folder}`, 'PATH=/', ...image.environment, ...environment],
    ...command,
  ];

  it('starts, reports its health and stops, as its user without privileges on a read-only root', async (context) => {
    const reason = obstacle();
    if (reason !== undefined) return context.skip(reason);
    const port = await freePort();
    const ports = ['WEBSOCKET', 'FALLBACK', 'MQTT'].map((name) => `MILLRACE_${name}_PORT=0`);
    const environment = [`MILLRACE_HTTP_PORT=${port}`, ...ports];
    const build = ['sh', '-c', BUILD, 'build', folder, realpathSync(process.execPath), root];
    child = spawn('unshare', [...['--mount', ...build, image.user], ...inside(image.entryPoint, environment)]);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    const { pid } = child;
    const run = (command: readonly string[]) =>
      spawnSync('nsenter', ['--mount', `--target=${pid}`, ...inside(command, environment)], {
        encoding: 'utf8',
      });
    const isHealthy = () => {
      if (child?.exitCode !== null) throw new Error(`the server has ended: ${output}`);
      return run(image.healthCheck).status === 0;
    };
    await expect.poll(isHealthy, { timeout: READY_WITHIN_MS, interval: 500 }).toBe(true);

    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:(\\s+${image.user}){4}$`, 'm'));
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    const kept = run(['/node', '-p', 'fs.readdirSync("/data").join()']);
    expect(kept.stdout).toContain('millrace.db');
    const written = run(['/node', '-e', 'fs.writeFileSync("/app/x", "")']);
    expect(written.stderr).toContain('EROFS');
    // Closed until the first administrator exists: the log has the token for that.
    expect(output).toContain('createFirstAdmin');

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 120_000);
});
