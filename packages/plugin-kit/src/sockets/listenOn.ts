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
 * Starts listening with an entrypoint's own server.
 * @returns its address, with the actual port
 * @throws core.start_failed naming the port if it is in use, or the other cause
 */
export function listenOn(server: Server, options: ListenOptions): Promise<ProtocolAddress> {
  const { host, port, protocol, scheme } = options;
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} of ${host} is in use already (configuration ${protocol}.port)`
          : error.message;
      reject(coreErrors.start_failed({ component: protocol, reason }, { cause: error }));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      const { port: realPort } = server.address() as AddressInfo;
      resolve({ host, port: realPort, url: `${scheme}://${shownHost(host)}:${realPort}` });
    });
  });
}

/** The host as part of a URL for users. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
