import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

/** One proxy's report about the request that it received. */
export interface ForwardedHop {
  /** Address of the peer of that proxy; undefined if it is hidden, unknown or malformed. */
  readonly address: string | undefined;
  /** `Host` of the request that it received. */
  readonly host: string | undefined;
}

// Longer than any address and host name together; limits the work per element.
const MAX_ELEMENT_LENGTH = 512;
const PAIR = /(?:^|;)\s*([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s;,"]*)\s*(?=;|$)/g;

/**
 * The hops in header `Forwarded` (RFC 7239), nearest to the client first. Commas separate elements even within quotes:
 * no address contains one, and a quote that a client leaves open must not swallow what proxies append.
 * @returns undefined if the header is absent
 */
export function readForwarded({ forwarded }: IncomingHttpHeaders): readonly ForwardedHop[] | undefined {
  if (forwarded === undefined) return undefined;
  return forwarded.split(',').map(readElement);
}

/**
 * The hops in header `X-Forwarded-For`, nearest to the client first, with `X-Forwarded-Host`.
 * @returns undefined if the header is absent
 */
export function readForwardedFor(headers: IncomingHttpHeaders): readonly ForwardedHop[] | undefined {
  const addresses = entriesOf(headers['x-forwarded-for']);
  if (addresses === undefined) return undefined;
  const hosts = entriesOf(headers['x-forwarded-host']) ?? [];
  return addresses.map((entry, position) => {
    // Proxies append to both headers or to one alone: counted from the right, the last host is that of the nearest
    // proxy.
    const fromRight = addresses.length - position;
    return { address: readAddress(entry), host: hosts.at(-fromRight) ?? hosts.at(-1) };
  });
}

function entriesOf(header: string | readonly string[] | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined;
  const joined = typeof header === 'string' ? header : header.join(',');
  return joined.split(',').map((entry) => entry.trim());
}

function readElement(element: string): ForwardedHop {
  let address: string | undefined;
  let host: string | undefined;
  if (element.length > MAX_ELEMENT_LENGTH) return { address, host };
  for (const [, name = '', value = ''] of element.trim().matchAll(PAIR)) {
    const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
    if (name.toLowerCase() === 'for') address = readAddress(text);
    else if (name.toLowerCase() === 'host') host = text;
  }
  return { address, host };
}

/** An address, IPv6 optionally in brackets, with or without a port. */
function readAddress(entry: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : undefined;
  if (isIP(entry) !== 0) return entry;
  const bare = /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? '';
  return isIP(bare) === 4 ? bare : undefined;
}
