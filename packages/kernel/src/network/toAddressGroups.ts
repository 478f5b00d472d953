import { isIP } from 'node:net';

const IPV4_PREFIX = [0, 0, 0, 0, 0, 0xffff];

/**
 * The eight 16-bit groups of an IP address; IPv4 as an IPv4-mapped address, so that all spellings of an address are
 * equal.
 * @returns undefined if it is no address
 */
export function toAddressGroups(address: string): readonly number[] | undefined {
  const plain = address.includes('%') ? address.slice(0, address.indexOf('%')) : address;
  const version = isIP(plain);
  if (version === 0) return undefined;
  if (version === 4) return [...IPV4_PREFIX, ...toIpv4Groups(plain)];
  const [head = '', tail] = plain.split('::');
  const before = toGroups(head);
  if (tail === undefined) return before;
  const after = toGroups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

function toGroups(part: string): readonly number[] {
  if (part === '') return [];
  // The last one may be an IPv4 address.
  return part.split(':').flatMap((group) => (group.includes('.') ? toIpv4Groups(group) : [Number.parseInt(group, 16)]));
}

function toIpv4Groups(address: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
