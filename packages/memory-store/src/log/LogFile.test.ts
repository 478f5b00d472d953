import { describe, expect, it } from 'vitest';
import { FaultyDisk } from './FaultyDisk.test.support.js';
import { LogFile } from './LogFile.js';
import { HEAD_BYTES, readSyncedPoint } from './LogHead.js';

async function openFile(disk: FaultyDisk): Promise<LogFile> {
  return LogFile.create('unused', async () => disk);
}

const onDisk = (disk: FaultyDisk) => disk.afterPowerFailure().subarray(HEAD_BYTES).toString();
const syncedPointOf = (disk: FaultyDisk) => readSyncedPoint(disk.afterPowerFailure())?.bytes;

describe('LogFile', () => {
  it('writes again what a failed sync concerned, before the next sync', async () => {
    const disk = new FaultyDisk();
    const file = await openFile(disk);
    await file.write(Buffer.from('one '));
    await file.sync();
    await file.write(Buffer.from('two '));
    disk.failingSyncs = 1;
    await expect(file.sync()).rejects.toThrow('i/o error');
    expect(file.doubt).toBe('EIO');
    await file.write(Buffer.from('three'));
    await file.sync();
    expect(file.doubt).toBe(undefined);
    expect(onDisk(disk)).toBe('one two three');
  });

  it('writes again what was written while a sync failed', async () => {
    const disk = new FaultyDisk();
    const file = await openFile(disk);
    await file.write(Buffer.from('one '));
    disk.failingSyncs = 1;
    disk.beforeSync = async () => {
      disk.beforeSync = async () => undefined;
      await file.write(Buffer.from('two'));
    };
    await expect(file.sync()).rejects.toThrow('i/o error');
    await file.sync();
    expect(onDisk(disk)).toBe('one two');
  });

  it('stays in doubt as long as syncs fail', async () => {
    const disk = new FaultyDisk();
    const file = await openFile(disk);
    await file.write(Buffer.from('one'));
    disk.failingSyncs = 3;
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(file.sync()).rejects.toThrow('i/o error');
      expect(file.doubt).toBe('EIO');
    }
    await file.finish();
    expect(onDisk(disk)).toBe('one');
    expect(disk.isClosed).toBe(true);
  });

  it('repeats a failed write at the same place', async () => {
    const disk = new FaultyDisk();
    const file = await openFile(disk);
    disk.failingWrites = 1;
    await expect(file.write(Buffer.from('one'))).rejects.toThrow('no space left');
    await file.write(Buffer.from('one'));
    await file.finish();
    expect(onDisk(disk)).toBe('one');
  });

  it('never says that more is synced than is, and after a clean end exactly what is', async () => {
    const disk = new FaultyDisk();
    const file = await openFile(disk);
    expect(syncedPointOf(disk)).toBe(HEAD_BYTES);
    for (let round = 1; round <= 5; round++) {
      await file.write(Buffer.alloc(100, 'x'));
      await file.sync();
      // The slot of a sync reaches the disk with the next sync.
      expect(syncedPointOf(disk)).toBe(HEAD_BYTES + 100 * (round - 1));
    }
    await file.finish();
    expect(syncedPointOf(disk)).toBe(HEAD_BYTES + 500);
  });
});
