import { coreErrors, type ListeningAddress, type Protocol, type ProtocolAddress } from '@millrace/kernel';

/**
 * Validates the value returned by a protocol's start.
 * @returns null if the protocol opens no port
 * @throws core.start_failed naming the protocol whose plugin returned an invalid value
 */
export function toListeningAddress({ name }: Protocol, address: ProtocolAddress | null): ListeningAddress | null {
  if (address === null) return null;
  const { url, port } = (address as Partial<ProtocolAddress> | undefined) ?? {};
  if (typeof url === 'string' && Number.isInteger(port)) return { ...address, protocol: name };
  throw coreErrors.start_failed({
    component: `protocol ${name}`,
    reason: 'its start gave no address: expected { host, port, url }, or null where it opens no port',
  });
}
