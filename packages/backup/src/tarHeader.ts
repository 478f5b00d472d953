/** Files of an archive begin at multiples of this. */
export const TAR_BLOCK_BYTES = 512;

/** A regular file of an archive. */
export interface TarEntry {
  /** Up to 100 ASCII characters. */
  readonly name: string;
  readonly bytes: number;
  readonly timeMs: number;
}

const MAGIC = 'ustar\u000000';
const [NAME_AT, MODE_AT, UID_AT, GID_AT, SIZE_AT, TIME_AT, SUM_AT, TYPE_AT, MAGIC_AT] = [
  0, 100, 108, 116, 124, 136, 148, 156, 257,
];
/** Sizes from 8 GiB on are binary, as GNU tar and libarchive write them. */
const MAX_OCTAL_BYTES = 8 ** 11;
const BINARY_MARK = 0x80;

/** The block before a file in a tar archive (POSIX ustar). */
export function tarHeader({ name, bytes, timeMs }: TarEntry): Buffer {
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(name, NAME_AT, 'latin1');
  octal(0o600, MODE_AT, 7);
  octal(0, UID_AT, 7);
  octal(0, GID_AT, 7);
  if (bytes < MAX_OCTAL_BYTES) octal(bytes, SIZE_AT, 11);
  else {
    block[SIZE_AT] = BINARY_MARK;
    block.writeBigUInt64BE(BigInt(bytes), SIZE_AT + 4);
  }
  octal(Math.floor(timeMs / 1_000), TIME_AT, 11);
  block.write('0', TYPE_AT, 'latin1');
  block.write(MAGIC, MAGIC_AT, 'latin1');
  octal(checksum(block), SUM_AT, 6);
  block.write('\u0000 ', SUM_AT + 6, 'latin1');
  return block;
}

/** @returns undefined for a block of zeros: the archive ends there @throws Error for anything but a header of a file */
export function parseTarHeader(block: Buffer): Pick<TarEntry, 'name' | 'bytes'> | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const field = (at: number, length: number) => block.toString('latin1', at, at + length).replace(/[\0 ].*$/s, '');
  const isFile = field(TYPE_AT, 1) === '0' || field(TYPE_AT, 1) === '';
  if (Number.parseInt(field(SUM_AT, 8), 8) !== checksum(block) || !isFile)
    throw new Error('it is not an archive of regular files');
  const bytes =
    block[SIZE_AT] === BINARY_MARK
      ? Number(block.readBigUInt64BE(SIZE_AT + 4))
      : Number.parseInt(field(SIZE_AT, 12), 8);
  return { name: field(NAME_AT, 100), bytes };
}

/** The sum of all bytes, those of the sum itself as spaces. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < TAR_BLOCK_BYTES; at++) sum += at >= SUM_AT && at < SUM_AT + 8 ? 32 : (block[at] ?? 0);
  return sum;
}
