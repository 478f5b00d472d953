import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { withDatabase } from '../openDatabase.js';
import { LogFile } from './LogFile.js';

const END = '9999999999999-0';

let dataDir: string;
let opened: LogFile[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-log-file-'));
  opened = [];
});
afterEach(() => {
  for (const file of opened) file.close();
  rmSync(dataDir, { recursive: true });
});

function open(folder = dataDir, maxBytes = 2 ** 20): LogFile {
  const file = new LogFile({ dataDir: folder, maxBytes, logger: silentLogger });
  file.open();
  opened.push(file);
  return file;
}

const pathOf = (folder = dataDir) => join(folder, 'millrace.changes.db');
const fieldsOf = async (file: LogFile) => (await file.range('0-0', END, 1_000)).map(({ fields }) => fields[1]);

describe('LogFile', () => {
  it('returns entries in order, after an id and up to one, also when it was closed and opened again', async () => {
    const first = open();
    const epoch = await first.epoch();
    const ids = ['a', 'b', 'c', 'd'].map((each) => first.append(['n', each]));
    await first.putCover('shop/sales', '1');
    await first.putCover('shop/old', '2');
    await first.dropCover('shop/old');
    first.close();
    const file = open();
    expect(await fieldsOf(file)).toEqual(['a', 'b', 'c', 'd']);
    const part = await file.range(`(${ids[0]}`, ids[2] ?? '', 10);
    expect(part.map(({ id }) => id)).toEqual(ids.slice(1, 3));
    expect(await file.range('0-0', END, 2)).toHaveLength(2);
    expect([await file.epoch(), await file.firstId(), await file.lastId()]).toEqual([epoch, ids[0], ids[3]]);
    expect(await file.covers()).toEqual([['shop/sales', '1']]);
    const next = file.append(['n', 'e']);
    expect((await file.range(`(${ids[3]}`, END, 10)).map(({ id }) => id)).toEqual([next]);
  });

  it('removes the oldest entries beyond its size, by age and before an id, but never the newest', async () => {
    const file = open(dataDir, 1_000);
    const ids = Array.from({ length: 20 }, (_, n) => file.append(['n', `${n}`.padStart(100, '0')]));
    expect(await file.bytes()).toBeLessThanOrEqual(1_000);
    expect(await file.lastId()).toBe(ids.at(-1));
    const left = (await fieldsOf(file)).map(Number);
    expect(left.length).toBeGreaterThan(3);
    expect(left).toEqual(Array.from({ length: left.length }, (_, n) => 20 - left.length + n));
    await file.trimBefore(ids.at(-2) ?? '');
    expect((await fieldsOf(file)).map(Number)).toEqual([18, 19]);
    await file.trimOlderThan(-60_000);
    expect((await fieldsOf(file)).map(Number)).toEqual([19]);
    file.append(['n', 'x'.repeat(5_000)]);
    expect(await fieldsOf(file)).toHaveLength(1);
    expect(await file.firstId()).toBe(await file.lastId());
  });

  it('has another epoch when it was copied', async () => {
    const file = open();
    const epoch = await file.epoch();
    file.append(['n', 'a']);
    file.close();
    const copy = join(dataDir, 'copy');
    cpSync(pathOf(), pathOf(copy));
    expect(await open(copy).epoch()).not.toBe(epoch);
    expect(await open().epoch()).toBe(epoch);
  });

  it('begins again if the machine has restarted while it was open, or if it is damaged', async () => {
    const file = open();
    const epochs = [await file.epoch()];
    file.append(['n', 'a']);
    file.close();
    withDatabase(pathOf(), {}, (database) => database.exec(`INSERT INTO meta VALUES('opened_at', 1000)`));
    const second = open();
    epochs.push(await second.epoch());
    expect([await fieldsOf(second), await second.lastId()]).toEqual([[], '0-0']);
    second.close();
    writeFileSync(pathOf(), 'x'.repeat(8_192));
    const third = open();
    epochs.push(await third.epoch());
    expect(third.append(['n', 'b'])).toMatch(/^\d+-\d+$/);
    expect(new Set(epochs).size).toBe(3);
  });

  it('removes only some entries at once for a large one, and the rest with the following ones', async () => {
    const file = open(dataDir, 2 ** 20);
    for (let n = 0; n < 8_000; n++) file.append(['n', 'small']);
    file.append(['n', 'x'.repeat(2 ** 20)]);
    expect(await fieldsOf(file)).toHaveLength(1_000);
    for (let n = 0; n < 20; n++) file.append(['n', 'after']);
    expect(await file.bytes()).toBeLessThanOrEqual(2 ** 20);
  });

  it('gives other work its turn while it removes large entries', async () => {
    const file = open(dataDir, 2 ** 30);
    let last = '';
    for (let n = 0; n < 200; n++) last = file.append(['n', 'x'.repeat(2 ** 20)]);
    const removed = file.trimBefore(last);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await removed;
    isOver = true;
    expect(turns).toBeGreaterThan(0);
  });

  it('counts the bytes of its content, and counts them again when it is opened', async () => {
    const first = open(dataDir, 10_000);
    for (let n = 0; n < 20; n++) first.append(['n', '漢😀'.repeat(100)]);
    const bytes = await first.bytes();
    const contents = (await first.range('0-0', END, 100)).map(({ fields }) =>
      Buffer.byteLength(JSON.stringify(fields)),
    );
    expect(bytes).toBe(contents.reduce((sum, length) => sum + length + 64, 0));
    expect(bytes).toBeLessThanOrEqual(10_000);
    first.close();
    expect(await open().bytes()).toBe(bytes);
  });

  it('returns few large entries at once, and at least one', async () => {
    const file = open(dataDir, 2 ** 26);
    const ids = Array.from({ length: 10 }, () => file.append(['n', 'x'.repeat(2 ** 20)]));
    ids.push(file.append(['n', 'x'.repeat(2 ** 23)]));
    expect((await file.range('0-0', END, 100)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(await file.range(ids[10] ?? '', END, 100)).toHaveLength(1);
  });

  it('begins again if its entries are damaged', async () => {
    const file = open();
    for (let n = 0; n < 1_000; n++) file.append(['n', 'x'.repeat(500)]);
    const epoch = await file.epoch();
    file.close();
    const content = readFileSync(pathOf());
    writeFileSync(pathOf(), content.fill('x', 8 * 4_096));
    expect(await open().epoch()).not.toBe(epoch);
  });

  it('refuses to read damaged entries, and begins again at the next start', async () => {
    const file = open();
    for (let n = 0; n < 1_000; n++) file.append(['n', 'x'.repeat(500)]);
    const epoch = await file.epoch();
    file.close();
    const content = readFileSync(pathOf());
    const middle = 4_096 * Math.floor(content.length / 8_192);
    writeFileSync(pathOf(), content.fill('x', middle, middle + 4 * 4_096));
    const damaged = open();
    expect(await damaged.epoch()).toBe(epoch);
    await expect(damaged.range('0-0', END, 1_000)).rejects.toMatchObject({ id: 'storage.unavailable', status: 503 });
    damaged.close();
    expect(await open().epoch()).not.toBe(epoch);
  });

  it('refuses a data directory that is in use, and can be read by its owner only', () => {
    open();
    expect(() => open()).toThrow(/in use by another Millrace/);
    expect(statSync(pathOf()).mode & 0o777).toBe(0o600);
  });
});
