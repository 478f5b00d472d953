import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { PortConnections } from '@millrace/kernel';

/**
 * Calls `open` with each new socket of a server; with TLS once the handshake is complete. Sockets in a handshake take
 * part in the limits of the port: idle ones make room for others.
 * @param open passes the socket to `port.accept`
 */
export function onSocket(server: Server, port: PortConnections, open: (socket: Socket) => void): void {
  if (!(server instanceof TlsServer)) {
    server.on('connection', open);
    return;
  }
  const inHandshake = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    if (!port.accept(socket)) {
      // A client in a handshake can't read an answer.
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    inHandshake.set(peer, socket);
    socket.once('close', () => {
      if (inHandshake.get(peer) === socket) inHandshake.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    const peer = peerOf(socket);
    const carrier = inHandshake.get(peer);
    inHandshake.delete(peer);
    if (carrier !== undefined) port.release(carrier);
    open(socket);
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
}

/** Unique among the open sockets of a server. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
