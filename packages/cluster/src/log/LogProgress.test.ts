import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LogProgress } from './LogProgress.js';

const EPOCH = 'k3f9a2xq';
const KEY = 'shop/things';

function open(lastId: () => Promise<string> = async () => '0-0') {
  const progress = new LogProgress({ lastId });
  progress.begin(EPOCH, '100-0');
  return progress;
}

describe('the progress of a node in the log', () => {
  it('is quiet after the last change of the collection, not of others', () => {
    const progress = open();
    const [before, after] = [progress.cursorAt('200-0', 0), progress.cursorAt('200-0', 2)];
    progress.note(KEY, progress.cursorAt('200-0', 1));
    expect(progress.isQuietAfter(KEY, before)).toBe(false);
    expect(progress.isQuietAfter(KEY, after)).toBe(true);
    expect(progress.isQuietAfter('shop/others', before)).toBe(true);
    progress.forget(KEY);
    expect(progress.isQuietAfter(KEY, before)).toBe(true);
  });

  it('is not quiet after positions before a change of all collections, lost messages or another epoch', () => {
    const progress = open();
    const first = progress.head();
    expect(progress.isQuietAfter(KEY, first)).toBe(true);
    progress.note('', progress.cursorAt('150-0', 0));
    expect(progress.isQuietAfter(KEY, first)).toBe(false);
    progress.taken('200-0');
    const second = progress.head();
    progress.taken('300-0');
    progress.missed();
    expect(progress.isQuietAfter(KEY, second)).toBe(false);
    expect(progress.isQuietAfter(KEY, progress.head())).toBe(true);
    const third = progress.head();
    progress.begin('k3f9a2xz');
    expect(progress.isQuietAfter(KEY, third)).toBe(false);
  });

  it('accepts cursors of other logs and somewhat later ones, and refuses the rest (LOG-3)', () => {
    const progress = open();
    const refuses = (cursor: string) => expect(() => progress.check(cursor), cursor).toThrow(/cursor/);
    for (const cursor of [progress.head(), progress.cursorAt('60100-0', 0), `zzzzzzzz.0000000a4f2`])
      expect(progress.check(cursor)).toBe(cursor);
    refuses(progress.cursorAt('60101-0', 0));
    refuses('');
    refuses(`${EPOCH}.0000000a4f2`);
  });
});

describe('catching up with the stream', () => {
  it('ends when the newest entry of that moment was read', async () => {
    const progress = open(async () => '300-2');
    let isDone: boolean | undefined;
    const done = progress.catchUp().then((result) => (isDone = result));
    for (const entryId of ['200-0', '300-1']) {
      await setImmediate();
      progress.taken(entryId);
    }
    await setImmediate();
    expect(isDone).toBeUndefined();
    progress.taken('300-2');
    expect(await done).toBe(true);
  });

  it('needs no entry if everything was read', async () => {
    expect(await open(async () => '100-0').catchUp()).toBe(true);
  });

  it('fails at once while Redis is unavailable', async () => {
    expect(await open(() => Promise.reject(new Error('down'))).catchUp()).toBe(false);
  });
});
