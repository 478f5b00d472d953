// A name, an IPv4 address or an IPv6 address in brackets, and a port: nothing that a URL parser would split further.
const HOST = /^(?:[^\s/?#@\\:[\]]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * The host name of a `Host` header, normalised as in browsers: lower case, IPv4 addresses in four parts, IPv6 addresses
 * in brackets and shortened.
 * @returns undefined if it is malformed
 */
export function hostnameOf(host: string): string | undefined {
  if (!HOST.test(host)) return undefined;
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
