/**
 * The key of an address: 32 hexadecimal digits, IPv4 mapped into `::ffff:0:0/96`, so that keys sort as addresses do.
 */
export function parseIp(text: string): string | undefined {
  if (text.length > 45) return undefined;
  const groups = text.includes(':') ? ipv6Groups(text) : ipv4Groups(text);
  if (groups === undefined) return undefined;
  let key = '';
  for (const group of groups) key += group.toString(16).padStart(4, '0');
  return key;
}

function ipv4Groups(text: string): readonly number[] | undefined {
  // No leading zeros, which some programs interpret as octal.
  const match = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(text);
  if (match === null) return undefined;
  const [a, b, c, d] = [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4])];
  if (a > 255 || b > 255 || c > 255 || d > 255) return undefined;
  return [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
}

function ipv6Groups(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1) return missing === 0 ? head : undefined;
  return missing < 1 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** Groups between colons; the last may be an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [position, part] of parts.entries()) {
    if (part.includes('.')) {
      const four = isEnd && position === parts.length - 1 ? ipv4Groups(part) : undefined;
      if (four === undefined) return undefined;
      groups.push(...four.slice(6));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The usual form of a key: `192.168.1.1`, `2001:db8::1`. */
export function formatIp(key: string): string {
  const groups = Array.from({ length: 8 }, (_, position) =>
    Number.parseInt(key.slice(position * 4, position * 4 + 4), 16),
  );
  if (key.startsWith('00000000000000000000ffff')) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const text = groups.map((group) => group.toString(16)).join(':');
  // The longest run of two zero groups or more is written as "::" (RFC 5952).
  const runs = [...text.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const longest = runs.reduce<RegExpMatchArray | undefined>(
    (best, run) => (best === undefined || run[0].length > best[0].length ? run : best),
    undefined,
  );
  if (longest?.index === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** First and last key of a network such as `10.0.0.0/8`, or undefined. */
export function parseCidr(text: string): { readonly first: string; readonly last: string } | undefined {
  const [, address, length] = /^([^/]{2,45})\/(\d{1,3})$/.exec(text) ?? [];
  const key = address === undefined ? undefined : parseIp(address);
  if (address === undefined || key === undefined) return undefined;
  const isV4 = !address.includes(':');
  if (Number(length) > (isV4 ? 32 : 128)) return undefined;
  const bits = BigInt(Number(length) + (isV4 ? 96 : 0));
  const hostMask = (1n << (128n - bits)) - 1n;
  const value = BigInt(`0x${key}`);
  const hex = (number: bigint): string => number.toString(16).padStart(32, '0');
  return { first: hex(value & ~hostMask), last: hex(value | hostMask) };
}
