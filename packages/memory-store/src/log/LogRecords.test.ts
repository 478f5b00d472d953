import { describe, expect, it } from 'vitest';
import { decodeCommands } from './encodeCommands.js';
import { readRecord, toRecord } from './LogRecords.js';

const COMMANDS = [['SET', 'key', '\u00ff\u0000'], ['DEL'], ['X', '']];

describe('log records', () => {
  it('give commands back byte for byte', () => {
    const record = toRecord(COMMANDS);
    expect(readRecord(Buffer.concat([record, Buffer.from('more')]))).toEqual({
      kind: 'record',
      commands: COMMANDS,
      length: record.length,
    });
  });

  it('are known to be cut at every length', () => {
    const record = toRecord(COMMANDS);
    for (let length = 0; length < record.length; length++)
      expect(readRecord(record.subarray(0, length)).kind).toBe('short');
  });

  it('are known to be damaged at every byte', () => {
    const record = toRecord(COMMANDS);
    for (let at = 0; at < record.length; at++) {
      const copy = Buffer.from(record);
      copy.writeUInt8(copy.readUInt8(at) ^ 0x41, at);
      expect(readRecord(copy).kind).not.toBe('record');
    }
  });

  it('never run past the end of hostile bytes', () => {
    expect(decodeCommands(Buffer.from('ffffffffffffffff', 'hex'))).toBe(undefined);
    expect(decodeCommands(Buffer.from('01000000ffffffff', 'hex'))).toBe(undefined);
    expect(decodeCommands(Buffer.from('0000000000', 'hex'))).toBe(undefined);
  });
});
