import type { IncomingHttpHeaders } from 'node:http';
import { parseAddressRanges, type AddressRange } from '../config/addressRanges.js';
import { readForwarded, readForwardedFor, type ForwardedHop } from './readForwarded.js';
import { toAddressGroups } from './toAddressGroups.js';

/** The source of a request. */
export interface RequestSource {
  /** Address of the client. */
  readonly address: string;
  /** `Host` as the client sent it to the first trusted proxy; undefined if no proxy reports it. */
  readonly forwardedHost: string | undefined;
}

// A client can prepend as many trusted addresses as fit into its request headers.
const MAX_HOPS = 32;
const MAX_ANSWERS = 1_000;

/**
 * The proxies whose forwarding headers are trusted (SEC-70).
 *
 * If the peer is trusted, the headers are read from the right: each trusted address was the peer of the proxy after it,
 * and the first untrusted one is the client. That client sent everything further left, so it is never read. A
 * malformed, hidden or unknown entry ends the walk: the last valid hop counts as the client.
 *
 * A proxy writes one of the two headers and may forward the other one as the client sent it. If both are present and
 * disagree, neither can be trusted: the peer's own address counts.
 */
export class TrustedProxies {
  private readonly ranges: readonly Range[];
  /** Cache of recent results: the peer of every request is looked up. */
  private readonly answers = new Map<string, boolean>();

  /** @param ranges addresses and CIDR ranges, as a list or separated by commas */
  constructor(ranges: unknown = []) {
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
    const isTrusted = this.compare(address);
    this.answers.set(address, isTrusted);
    return isTrusted;
  }

  /** @param peer address of the socket's other end */
  sourceOf(peer: string, headers: IncomingHttpHeaders): RequestSource {
    if (!this.has(peer)) return { address: peer, forwardedHost: undefined };
    const standard = readForwarded(headers);
    const usual = readForwardedFor(headers);
    const first = this.walk(peer, standard ?? usual ?? []);
    if (standard === undefined || usual === undefined) return first;
    const isAgreed = this.walk(peer, usual).address === first.address;
    return isAgreed ? first : { address: peer, forwardedHost: first.forwardedHost };
  }

  private compare(address: string): boolean {
    // `BlockList` of node:net isn't used: it allocates an object outside the heap for each check, which takes 10 µs.
    const groups = toAddressGroups(address);
    return groups !== undefined && this.ranges.some((range) => contains(range, groups));
  }

  private walk(peer: string, hops: readonly ForwardedHop[]): RequestSource {
    let source: RequestSource = { address: peer, forwardedHost: undefined };
    for (const { address, host } of hops.slice(-MAX_HOPS).reverse()) {
      if (address === undefined) return { ...source, forwardedHost: host };
      source = { address, forwardedHost: host };
      if (!this.has(address)) break;
    }
    return source;
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
  return network.every(
    (group, position) => ((groups[position] ?? 0) & (masks[position] ?? 0)) === group,
  );
}
