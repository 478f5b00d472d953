import { isIPv6 } from 'node:net';

/**
 * The key under which an address is counted: an IPv4 address in any spelling, or the /64 network of an IPv6 address,
 * since every host can choose from 2^64 of those.
 */
export function toAddressKey(remoteAddress: string): string {
  if (!remoteAddress.includes(':')) return remoteAddress;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const address = remoteAddress.split('%')[0] ?? '';
  if (!isIPv6(address)) return remoteAddress;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length;
    while (groups.length < 8 - after) groups.push('0');
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** The /48 network of a key of `toAddressKey`, which providers give to one customer; IPv4 addresses as they are. */
export function toNetworkKey(addressKey: string): string {
  if (!addressKey.endsWith('::/64')) return addressKey;
  return `${addressKey.slice(0, addressKey.lastIndexOf(':', addressKey.length - 6))}::/48`;
}
