import { createServer } from 'node:net';
import { isJsonObject, isLoopback, type Config } from '@millrace/kernel';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

/** A protocol that listens. */
interface Entrypoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Ports, and who can reach them. @param isInUse a server uses the data directory: the ports may be its own */
export async function checkEntrypoints(context: DoctorContext, isInUse: boolean): Promise<readonly Finding[]> {
  const entrypoints = entrypointsOf(context.config);
  const ports: Finding[] = [];
  for (const entrypoint of entrypoints) ports.push(await checkPort(entrypoint, isInUse));
  return [...ports, checkExposure(context, entrypoints), checkProxy(context, entrypoints)];
}

function entrypointsOf({ values }: Config): readonly Entrypoint[] {
  return Object.entries(values).flatMap(([name, section]) => {
    if (!isJsonObject(section) || section['listen'] === false) return [];
    const { host, port } = section;
    if (typeof host !== 'string' || typeof port !== 'number') return [];
    return [{ name, host, port }];
  });
}

async function checkPort({ name, host, port }: Entrypoint, isInUse: boolean): Promise<Finding> {
  const at = `${name}: ${host}:${port}`;
  const code = await tryToListen(host, port);
  if (code === undefined) return ok('port', `${at} is free`);
  if (code === 'EADDRINUSE') {
    if (isInUse) return ok('port', `${at} is in use, and a server uses the data directory`);
    const mend = `End the program that uses it (ss -ltnp 'sport = ${port}'), or set ${name}.port`;
    return fault('port-taken', `${at} is used by another program`, mend);
  }
  if (code === 'EACCES') {
    const mend = `Set ${name}.port to 1024 or more, or allow it: AmbientCapabilities=CAP_NET_BIND_SERVICE`;
    return fault('port-refused', `${at} may not be used by this user`, mend);
  }
  const mend = `Set ${name}.host to an address of this machine, such as 127.0.0.1 or 0.0.0.0`;
  return fault('host-unknown', `${at} is no address of this machine (${code})`, mend);
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function checkExposure({ config }: DoctorContext, entrypoints: readonly Entrypoint[]): Finding {
  const id = 'open-on-network';
  const exposed = entrypoints.filter(({ host }) => !isLoopback(host)).map(({ name }) => `${name}.host`);
  const { allowOpenOnNetwork, openUntilFirstAdmin } = config.section<{
    allowOpenOnNetwork: boolean;
    openUntilFirstAdmin: boolean;
  }>('security');
  if (exposed.length === 0 || !openUntilFirstAdmin)
    return ok(id, 'no stranger can reach a server without administrator');
  if (allowOpenOnNetwork) {
    const mend = 'Remove security.allowOpenOnNetwork, or set NODE_ENV=production';
    return fault(id, `Everyone may do everything until an administrator exists (${exposed.join(', ')})`, mend);
  }
  const mend = 'Create one (millrace user create NAME --profiles admin), or set NODE_ENV=production';
  return warning(id, `The start is refused without an administrator (${exposed.join(', ')})`, mend);
}

function checkProxy({ config, environment }: DoctorContext, entrypoints: readonly Entrypoint[]): Finding {
  const id = 'proxy-not-trusted';
  const { trustedProxies } = config.section<{ trustedProxies: string | readonly string[] }>('http');
  const isBehindProxy = environment['NODE_ENV'] === 'production' && entrypoints.every(({ host }) => isLoopback(host));
  if (!isBehindProxy || trustedProxies.length > 0)
    return ok(id, trustedProxies.length > 0 ? 'proxies are trusted' : 'no sign of a proxy');
  const saw =
    'The server is in production and listens on loopback only: a proxy must be in front of it, and all clients share its address';
  return warning(id, saw, 'Set http.trustedProxies to the addresses of the proxy: ["127.0.0.1", "::1"]');
}
