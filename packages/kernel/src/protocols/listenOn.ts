import type { AddressInfo, Server } from 'node:net';
import type { ProtocolAddress } from '../contracts/protocol/Protocol.js';
import { coreErrors } from '../errors/errors.js';

/** Where an entrypoint is to listen, and what it is called. */
export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Name of the protocol; its configuration section has the key `port`. */
  readonly protocol: string;
  /** Of the address that users open, such as `ws`. */
  readonly scheme: string;
}

/**
 * Lets an entrypoint's own server listen.
 * @returns its address, with the real port
 * @throws core.start_failed naming the port that is in use already, or what else is wrong
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

/** The host as it stands in an address that a user can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
