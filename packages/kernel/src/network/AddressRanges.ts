import { parseAddressRanges, type AddressRange } from '../config/addressRanges.js';
import { toAddressGroups } from './toAddressGroups.js';

const MAX_ANSWERS = 1_000;

/** A set of IP addresses, written as addresses and CIDR ranges. */
export class AddressRanges {
  private readonly ranges: readonly Range[];
  /** Cache of recent results: the peer of every request is looked up. */
  private readonly answers = new Map<string, boolean>();

  /** @param ranges addresses and CIDR ranges, as a list or separated by commas; malformed ones: the set is empty */
  constructor(ranges: unknown) {
    this.ranges = (parseAddressRanges(ranges) ?? []).map(toRange);
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  has(address: string): boolean {
    if (this.isEmpty) return false;
    const known = this.answers.get(address);
    if (known !== undefined) return known;
    if (this.answers.size >= MAX_ANSWERS) this.answers.clear();
    const isInside = this.compare(address);
    this.answers.set(address, isInside);
    return isInside;
  }

  private compare(address: string): boolean {
    // `BlockList` of node:net isn't used: it allocates an object outside the heap for each check, which takes 10 µs.
    const groups = toAddressGroups(address);
    return groups !== undefined && this.ranges.some((range) => contains(range, groups));
  }
}

/** An address range in the groups of `toAddressGroups`. */
interface Range {
  readonly network: readonly number[];
  readonly masks: readonly number[];
}

function toRange({ address, family, prefixLength }: AddressRange): Range {
  const bits = family === 'ipv4' ? 96 + prefixLength : prefixLength;
  const masks = Array.from({ length: 8 }, (_, group) => {
    const inGroup = Math.min(16, Math.max(0, bits - 16 * group));
    return 0xffff - (0xffff >> inGroup);
  });
  const groups = toAddressGroups(address) ?? [];
  return { network: groups.map((group, position) => group & (masks[position] ?? 0)), masks };
}

function contains({ network, masks }: Range, groups: readonly number[]): boolean {
  return network.every((group, position) => ((groups[position] ?? 0) & (masks[position] ?? 0)) === group);
}
