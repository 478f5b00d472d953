import type { Connection, ProtocolHost } from '@millrace/kernel';

/** Logs that a connection is closed because its client doesn't take what waits for it. */
export function logSlowConsumer(
  { log }: ProtocolHost,
  { id, remoteAddress }: Connection,
  facts: { readonly waitingBytes: number; readonly reason: 'bytes' | 'time' },
): void {
  log.warn({ connection: id, remoteAddress, ...facts }, 'slow consumer closed');
}
