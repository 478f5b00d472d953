import type { AddressInfo, Server } from 'node:net';
import { coreErrors, type ProtocolAddress } from '@millrace/kernel';

/** Where an entrypoint listens, and under which name. */
export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Name of the protocol; its configuration section has the key `port`. */
  readonly protocol: string;
  /** Scheme of the URL for users, such as `ws`. */
  readonly scheme: string;
}

/**
 * Connections that may wait while the server is busy; the system may allow fewer (`net.core.somaxconn`). Beyond Node's
 * 511, clients that all connect again after a restart are not refused, but wait for seconds until they try again.
 */
const BACKLOG = 4_096;

/**
 * Starts listening with an entrypoint's own server.
 * @returns its address, with the actual port
 * @throws core.start_failed naming the configuration key, or the other cause
 */
export function listenOn(server: Server, options: ListenOptions): Promise<ProtocolAddress> {
  const { host, port, protocol, scheme } = options;
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const reason = reasonOf(error, options);
      reject(coreErrors.start_failed({ component: protocol, reason }, { cause: error }));
    };
    server.once('error', onError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', onError);
      const { port: realPort } = server.address() as AddressInfo;
      resolve({ host, port: realPort, url: `${scheme}://${shownHost(host)}:${realPort}` });
    });
  });
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException, { host, port, protocol }: ListenOptions): string {
  const [atPort, atHost] = [`(configuration ${protocol}.port)`, `(configuration ${protocol}.host)`];
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already ${atPort}`;
  if (code === 'EACCES') return `this user may not open port ${port} ${atPort}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine, such as 127.0.0.1 or 0.0.0.0 ${atHost}`;
  return message;
}

/** The host as part of a URL for users. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
