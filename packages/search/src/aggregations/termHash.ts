/*
 * The hashes by which Elasticsearch deals terms out to the partitions of `include`: a client that reads partition after
 * partition gets the same ones from either engine. Texts by MurmurHash3 (32 bits, seed 31), numbers by a mix of their 64
 * bits, floating ones by the bits whose order as integers is that of the numbers.
 */

const SEED = 31;
const BLOCK = 4;

/** Of a text, in UTF-8: a signed integer of 32 bits. */
export function termHash(term: string): number {
  return bytesHash(Buffer.from(term, 'utf8'));
}

/** Of the key of an address (`parseIp`), in its 16 bytes. */
export function addressHash(key: string): number {
  return bytesHash(Buffer.from(key, 'hex'));
}

function bytesHash(bytes: Buffer): number {
  const blocksEnd = bytes.length - (bytes.length % BLOCK);
  let hash = SEED;
  for (let at = 0; at < blocksEnd; at += BLOCK) {
    hash ^= scramble(bytes.readInt32LE(at));
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  let rest = 0;
  for (let at = bytes.length - 1; at >= blocksEnd; at -= 1) rest = (rest << 8) | (bytes[at] ?? 0);
  if (blocksEnd < bytes.length) hash ^= scramble(rest);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

/** Of a whole number: a signed integer of 64 bits. */
export function longHash(value: number): bigint {
  return mix(BigInt(Math.trunc(value)));
}

/** Of any number: a signed integer of 64 bits. */
export function doubleHash(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return mix(bits < 0n ? bits ^ 0x7fff_ffff_ffff_ffffn : bits);
}

function mix(value: bigint): bigint {
  let bits = BigInt.asUintN(64, value);
  bits = BigInt.asUintN(64, (bits ^ (bits >> 32n)) * 0x4cd6_944c_5cc2_0b6dn);
  bits = BigInt.asUintN(64, (bits ^ (bits >> 29n)) * 0xfc12_c5b1_9d32_59e9n);
  return BigInt.asIntN(64, bits ^ (bits >> 32n));
}
