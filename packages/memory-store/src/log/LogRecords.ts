import { crc32 } from 'node:zlib';
import { runToEnd, type Steps } from '../steps/Steps.js';
import { crcInSteps } from './crcInSteps.js';
import { decodeCommands, encodeInSteps, type LoggedCommand } from './encodeCommands.js';

/**
 * Design note. After its head (`LogHead`) a log file is a sequence of records: length and CRC-32 of the payload (32
 * bits each, little-endian), then the payload, the commands of one step. A record is run completely or not at all.
 */
const HEAD_BYTES = 8;
/** Longer ones are treated as damage. */
const MAX_RECORD_BYTES = 1_073_741_824;

/** Commands as one record. */
export function toRecord(commands: readonly LoggedCommand[]): Buffer {
  return runToEnd(toRecordInSteps(commands));
}

/** As `toRecord`, in steps. */
export function* toRecordInSteps(commands: readonly LoggedCommand[]): Steps<Buffer> {
  const record = yield* encodeInSteps(commands, HEAD_BYTES);
  record.writeUInt32LE(record.length - HEAD_BYTES, 0);
  record.writeUInt32LE(yield* crcInSteps(record.subarray(HEAD_BYTES)), 4);
  return record;
}

/** The result of reading the start of a buffer. */
export type FoundRecord =
  | {
      readonly kind: 'record';
      readonly commands: readonly LoggedCommand[];
      readonly length: number;
    }
  /** The buffer ends within the record, which has this length. */
  | { readonly kind: 'short'; readonly length: number }
  | { readonly kind: 'damaged'; readonly length: number };

/** Reads the record at the start of a buffer. */
export function readRecord(bytes: Buffer): FoundRecord {
  if (bytes.length < HEAD_BYTES) return { kind: 'short', length: HEAD_BYTES };
  const payloadLength = bytes.readUInt32LE(0);
  const length = HEAD_BYTES + payloadLength;
  if (payloadLength < 4 || length > MAX_RECORD_BYTES) return { kind: 'damaged', length: HEAD_BYTES };
  if (bytes.length < length) return { kind: 'short', length };
  const payload = bytes.subarray(HEAD_BYTES, length);
  const commands = crc32(payload) === bytes.readUInt32LE(4) ? decodeCommands(payload) : undefined;
  return commands === undefined ? { kind: 'damaged', length } : { kind: 'record', commands, length };
}
