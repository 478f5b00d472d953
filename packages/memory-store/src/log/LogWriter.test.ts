import { describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { FaultyDisk } from './FaultyDisk.test.support.js';
import { LogFile } from './LogFile.js';
import { HEAD_BYTES } from './LogHead.js';
import { LogWriter, type SyncPolicy } from './LogWriter.js';

async function open(policy: SyncPolicy) {
  const disk = new FaultyDisk();
  const file = await LogFile.create('unused', async () => disk);
  return { disk, writer: new LogWriter(file, { policy, logger: silentLogger, retryAfterMs: 1 }) };
}

const onDisk = (disk: FaultyDisk) => disk.afterPowerFailure().subarray(HEAD_BYTES).toString();

describe('LogWriter', () => {
  it('answers with "always" only what is on the disk, also after a sync that failed', async () => {
    const { disk, writer } = await open('always');
    disk.failingSyncs = 2;
    await writer.append(Buffer.from('acknowledged'));
    expect(onDisk(disk)).toBe('acknowledged');
    expect(disk.failingSyncs).toBe(0);
    expect(writer.failure).toBe(undefined);
    await writer.close();
  });

  it('says why while a sync fails, and rejects a flush', async () => {
    const { disk, writer } = await open('always');
    disk.failingSyncs = 1_000_000;
    const waited = writer.append(Buffer.from('x'));
    await expect.poll(() => writer.failure, { timeout: 10_000 }).toBe("its log can't be written: EIO");
    await expect(writer.flush()).rejects.toMatchObject({ id: 'memory.unavailable' });
    disk.failingSyncs = 0;
    await waited;
    await writer.flush();
    expect(onDisk(disk)).toBe('x');
    await writer.close();
  });

  it('completes, syncs and closes a file before the next one is created', async () => {
    const { disk, writer } = await open('everysec');
    void writer.append(Buffer.from('old'));
    const next = new FaultyDisk();
    let atCreation: unknown;
    const switched = writer.switchTo(async () => {
      atCreation = [onDisk(disk), disk.isClosed];
      return LogFile.create('unused', async () => next);
    });
    void writer.append(Buffer.from('new'));
    await switched;
    expect(atCreation).toEqual(['old', true]);
    await writer.flush();
    expect([onDisk(disk), onDisk(next)]).toEqual(['old', 'new']);
    await writer.close();
  });

  it('switches to the next file while records keep coming', async () => {
    const { writer } = await open('everysec');
    let isSwitched = false;
    let appended = 0;
    const load = async () => {
      // There is always a waiting record.
      while (!isSwitched && appended++ < 100_000) {
        void writer.append(Buffer.from('x'));
        await Promise.resolve();
        if (appended % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const loaded = load();
    await writer.switchTo(() => LogFile.create('unused', async () => new FaultyDisk()));
    isSwitched = true;
    await loaded;
    expect(appended).toBeLessThan(100_000);
    await writer.close();
  });

  it('rejects what waits when it is closed while the log can not be written', async () => {
    const { disk, writer } = await open('always');
    disk.failingWrites = 1_000_000;
    const waited = writer.append(Buffer.from('x'));
    const switched = writer.switchTo(() => LogFile.create('unused', async () => new FaultyDisk()));
    const outcomes = Promise.allSettled([waited, switched]);
    await expect.poll(() => writer.failure, { timeout: 10_000 }).toContain('ENOSPC');
    await expect(writer.close()).rejects.toThrow('no space left');
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(disk.isClosed).toBe(true);
  });
});
