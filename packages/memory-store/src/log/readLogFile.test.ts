import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoggedCommand } from './encodeCommands.js';
import { HEAD_BYTES, newHead, OLD_MARK } from './LogHead.js';
import { toRecord } from './LogRecords.js';
import { hasRecords, readLogFile } from './readLogFile.js';

const folder = mkdtempSync(join(tmpdir(), 'millrace-log-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const FIRST = toRecord([
  ['SET', 'a', '1'],
  ['SET', 'b', '2'],
]);
const SECOND = toRecord([['DEL', 'a']]);
const ALL = [
  ['SET', 'a', '1'],
  ['SET', 'b', '2'],
  ['DEL', 'a'],
];
const END = HEAD_BYTES + FIRST.length + SECOND.length;

/** A file with its head, of which `syncedBytes` are on the disk. */
const withHead = (syncedBytes: number, ...records: readonly Buffer[]) =>
  Buffer.concat([newHead({ sequence: 1, bytes: syncedBytes }), ...records]);

/** A copy with one byte changed. */
function damagedAt(position: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(position) ^ 0x41, position);
  return copy;
}

function fileOf(bytes: Buffer): string {
  const path = join(folder, 'changes-0.log');
  writeFileSync(path, bytes);
  return path;
}

async function read(bytes: Buffer, mayBeTorn = true) {
  const commands: LoggedCommand[] = [];
  const reading = await readLogFile(fileOf(bytes), mayBeTorn, (record) => commands.push(...record));
  return { commands, ...reading };
}

const WHOLE = { tornBytes: 0, lostBytes: 0, hasHead: true };

describe('a log file', () => {
  it('gives its commands in their order', async () => {
    const file = withHead(END, FIRST, SECOND);
    expect(await read(file, false)).toEqual({ commands: ALL, goodBytes: END, ...WHOLE });
  });

  it('is read across chunks', async () => {
    const records = Array.from({ length: 5 }, (_, n) => toRecord([['SET', `k${n}`, 'x'.repeat(700_000)]]));
    const file = withHead(HEAD_BYTES, ...records);
    const { commands, goodBytes } = await read(file);
    expect(commands.map(([, key]) => key)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
    expect(goodBytes).toBe(file.length);
  });

  it('a log file cut anywhere behind its synced point is read up to the last complete record', async () => {
    const synced = HEAD_BYTES + FIRST.length;
    const file = withHead(synced, FIRST, SECOND);
    for (let size = synced; size < END; size++) {
      const expected = { commands: ALL.slice(0, 2), ...WHOLE, goodBytes: synced, tornBytes: size - synced };
      expect(await read(file.subarray(0, size)), `cut at ${size}`).toEqual(expected);
    }
  });

  it('a log file damaged behind its synced point has a torn tail', async () => {
    const synced = HEAD_BYTES + FIRST.length;
    const file = damagedAt(synced + 9, withHead(synced, FIRST, SECOND, FIRST));
    const tornBytes = SECOND.length + FIRST.length;
    expect(await read(file)).toEqual({ commands: ALL.slice(0, 2), ...WHOLE, goodBytes: synced, tornBytes });
  });

  it('a log file damaged before its synced point is refused with the position', async () => {
    const file = damagedAt(HEAD_BYTES + FIRST.length + 9, withHead(END, FIRST, SECOND));
    await expect(read(file)).rejects.toThrow(`damaged at byte ${HEAD_BYTES + FIRST.length}`);
    // The length of the second record reaches beyond the end of the file.
    const tooLong = damagedAt(HEAD_BYTES + FIRST.length + 1, withHead(END, FIRST, SECOND));
    await expect(read(tooLong)).rejects.toThrow(`damaged at byte ${HEAD_BYTES + FIRST.length}`);
  });

  it('a log file shorter than its synced point has lost bytes, which only the last file may have', async () => {
    const file = withHead(END, FIRST);
    const goodBytes = HEAD_BYTES + FIRST.length;
    const lostBytes = SECOND.length;
    expect(await read(file)).toEqual({ commands: ALL.slice(0, 2), ...WHOLE, goodBytes, lostBytes });
    await expect(read(file, false)).rejects.toThrow(`damaged at byte ${goodBytes}`);
  });

  it('a torn log file is refused unless it was the last one', async () => {
    const file = withHead(HEAD_BYTES, FIRST, SECOND.subarray(0, 5));
    await expect(read(file, false)).rejects.toThrow(`damaged at byte ${HEAD_BYTES + FIRST.length}`);
  });

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100)],
    ['half a mark', Buffer.from('MSLO')],
    ['half a head', newHead({ sequence: 1, bytes: HEAD_BYTES }).subarray(0, 2_000)],
  ])('a log file with %s was interrupted while it was created', async (_, file) => {
    expect(await read(file)).toEqual({ commands: [], ...WHOLE, goodBytes: 0, tornBytes: file.length });
    await expect(read(file, false)).rejects.toThrow('damaged at byte 0');
  });

  it('a log file with a damaged head, or none, is refused', async () => {
    await expect(read(damagedAt(100, withHead(END, FIRST, SECOND)))).rejects.toThrow('damaged at byte 100');
    await expect(read(Buffer.from('something else'))).rejects.toThrow('damaged at byte 0');
    await expect(read(Buffer.alloc(HEAD_BYTES + 1))).rejects.toThrow('damaged at byte 0');
  });

  it('a log file of a later version is refused by its format', async () => {
    const file = Buffer.concat([Buffer.from('MSLOG-3\n'), Buffer.alloc(HEAD_BYTES)]);
    await expect(read(file)).rejects.toThrow('has format 3 and this version reads format 2');
  });
});

describe('a log file of the first version, which has no head', () => {
  const goodBytes = OLD_MARK.length + FIRST.length;
  const old = (...rest: readonly Buffer[]) => Buffer.concat([OLD_MARK, FIRST, ...rest]);
  const reading = (tornBytes: number) => ({
    commands: ALL.slice(0, 2),
    ...WHOLE,
    goodBytes,
    tornBytes,
    hasHead: false,
  });

  it('is read also if its tail is cut or zeros', async () => {
    expect(await read(old(), false)).toEqual(reading(0));
    expect(await read(old(SECOND.subarray(0, 7)))).toEqual(reading(7));
    expect(await read(old(Buffer.alloc(500)))).toEqual(reading(500));
    const damaged = damagedAt(9, SECOND);
    expect(await read(old(damaged, Buffer.alloc(500)))).toEqual(reading(SECOND.length + 500));
  });

  it('is refused if bytes follow a damaged record', async () => {
    await expect(read(old(damagedAt(9, SECOND), FIRST))).rejects.toThrow(`damaged at byte ${goodBytes}`);
  });
});

describe('whether a log file has records', () => {
  it.each<[boolean, string, Buffer]>([
    [false, 'a head alone', withHead(HEAD_BYTES)],
    [false, 'an unfinished head', Buffer.from('MSLO')],
    [false, 'a mark of the first version alone', OLD_MARK],
    [true, 'a record', withHead(END, FIRST)],
    [true, 'a part of a record', withHead(HEAD_BYTES, FIRST.subarray(0, 1))],
    [true, 'a record of the first version', Buffer.concat([OLD_MARK, FIRST])],
  ])('is %s for %s', async (expected, _, file) => {
    expect(await hasRecords(fileOf(file))).toBe(expected);
  });
});
