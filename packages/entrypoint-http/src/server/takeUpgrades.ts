import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { MountedProtocol, PortConnections } from '@millrace/kernel';
import type { SocketTable } from './SocketTable.js';

interface Options {
  readonly server: Server;
  readonly sockets: SocketTable;
  readonly port: PortConnections;
  /** By path. */
  readonly upgrades: ReadonlyMap<string, MountedProtocol>;
}

/**
 * Hands WebSocket handshakes on a path of another protocol to it, with their sockets. Other requests to upgrade, such as
 * those to HTTP/2 that some clients add to their first request, are answered as if they hadn't asked.
 */
export function takeUpgrades({ server, sockets, port, upgrades }: Options): void {
  const opened = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket;
    const state = sockets.stateOf(socket);
    // Refused, or with answers still to be sent, among which no other protocol can begin.
    if (state === undefined || state.running.size > 0 || state.isBroken) {
      socket.destroy();
      return;
    }
    const protocol = isWebSocket(request) ? upgrades.get(pathOf(request)) : undefined;
    if (protocol?.upgrade === undefined || state.isReserved) {
      // Once the listener "upgrade" is there, node leaves all that asks for an upgrade to it.
      // eslint-disable-next-line no-restricted-syntax -- a stream, no array
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
      server.emit(opened, socket);
      return;
    }
    sockets.release(socket);
    port.release(socket);
    protocol.upgrade(request, socket, head);
  });
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The head of a request as it came, but for the header `Upgrade`. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[at + 1] ?? ''}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
