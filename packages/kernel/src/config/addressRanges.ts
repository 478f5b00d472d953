import { isIP } from 'node:net';

/** A range of IP addresses; a single address is a range with the full prefix length. */
export interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Number of leading bits that all addresses of the range share. */
  readonly prefixLength: number;
}

/**
 * Parses IP addresses and CIDR ranges, as a list or separated by commas.
 * @returns undefined if an entry is neither
 */
export function parseAddressRanges(value: unknown): readonly AddressRange[] | undefined {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const entries: readonly unknown[] = typeof value === 'string' ? value.split(',') : value;
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    if (typeof entry !== 'string') return undefined;
    if (entry.trim() === '') continue;
    const range = parseRange(entry.trim());
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return ranges;
}

/** Format of a configuration value that `parseAddressRanges` parses. */
export function addressRanges(value: unknown): void {
  if (parseAddressRanges(value) === undefined) {
    throw new Error('must be addresses or CIDR ranges such as "10.0.0.0/8" as a list or separated by commas');
  }
}

function parseRange(entry: string): AddressRange | undefined {
  const [address = '', length, ...rest] = entry.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (length === undefined) return { address, family, prefixLength: longest };
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : longest + 1;
  return prefixLength > longest ? undefined : { address, family, prefixLength };
}
