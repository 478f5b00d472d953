import { crc32 } from 'node:zlib';
import { piecesInSteps, type Steps } from '../steps/Steps.js';

/** The CRC-32 of bytes. */
export function* crcInSteps(bytes: Buffer): Steps<number> {
  let crc = 0;
  yield* piecesInSteps(0, bytes.length, (from, end) => {
    crc = crc32(bytes.subarray(from, end), crc);
  });
  return crc;
}
