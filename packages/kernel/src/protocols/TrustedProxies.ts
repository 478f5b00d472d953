import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { parseAddressRanges } from '../config/addressRanges.js';
import { readForwarded, readForwardedFor, type ForwardedHop } from './readForwarded.js';

/** Where a request comes from. */
export interface RequestSource {
  /** Address of the client. */
  readonly address: string;
  /** `Host` as the client sent it to the first trusted proxy; undefined where no proxy reports it. */
  readonly forwardedHost: string | undefined;
}

// A client can prepend as many trusted addresses as fit into the head of its request.
const MAX_HOPS = 32;

/**
 * The proxies whose forwarding headers are believed (access.md section 3). Immutable.
 *
 * From a trusted peer, the headers are read from the right: each trusted address was the peer of the proxy after it, and
 * the first untrusted one is the client. What stands further left was sent by that client, so it is never looked at. An
 * entry that is malformed, hidden or unknown ends the walk: the last valid hop counts as the client.
 *
 * A proxy writes one of the two headers and may pass the other one on as the client sent it. Where both are there and
 * disagree, neither can be believed: the peer's own address counts.
 */
export class TrustedProxies {
  private readonly list: BlockList | undefined;

  /** @param ranges addresses and CIDR ranges, as a list or separated by commas */
  constructor(ranges: unknown = []) {
    const parsed = parseAddressRanges(ranges) ?? [];
    if (parsed.length === 0) return;
    this.list = new BlockList();
    for (const { address, prefixLength, family } of parsed) {
      this.list.addSubnet(address, prefixLength, family);
    }
  }

  get isEmpty(): boolean {
    return this.list === undefined;
  }

  has(address: string): boolean {
    if (this.list === undefined) return false;
    const plain = withoutMapping(address);
    const version = isIP(plain);
    return version !== 0 && this.list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
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

function withoutMapping(address: string): string {
  const plain = address.split('%')[0] ?? '';
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}
