import type { IncomingHttpHeaders } from 'node:http';
import { AddressRanges } from './AddressRanges.js';
import { readForwarded, readForwardedFor, type ForwardedHop } from './readForwarded.js';

/** The source of a request. */
export interface RequestSource {
  /** Address of the client. */
  readonly address: string;
  /** `Host` as the client sent it to the first trusted proxy; undefined if no proxy reports it. */
  readonly forwardedHost: string | undefined;
}

// A client can prepend as many trusted addresses as fit into its request headers.
const MAX_HOPS = 32;

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
  private readonly ranges: AddressRanges;

  /** @param ranges addresses and CIDR ranges, as a list or separated by commas */
  constructor(ranges: unknown = []) {
    this.ranges = new AddressRanges(ranges);
  }

  get isEmpty(): boolean {
    return this.ranges.isEmpty;
  }

  has(address: string): boolean {
    return this.ranges.has(address);
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
