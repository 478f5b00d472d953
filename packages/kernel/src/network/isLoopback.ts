import { isIPv4 } from 'node:net';

/** True for `localhost`, 127.0.0.0/8 and ::1 (with or without brackets), also as IPv4-mapped addresses. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true;
  const address = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name;
  return address.startsWith('127.') && isIPv4(address);
}
