import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from './createLogger.js';
import { RecentLog } from './RecentLog.js';

/** A logger whose lines are kept, and the text that it has written. */
function openLog(format: 'json' | 'text' = 'json') {
  const recent = new RecentLog();
  const written: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(chunk.toString()), done()) });
  const log = createLogger({ level: 'debug', format }, { write: (line) => void stream.write(line) }, recent);
  return { recent, log, written };
}

const ALL = { level: 'debug', size: 1_000 };
const messagesOf = ({ hits }: ReturnType<RecentLog['read']>) => hits.map(({ message }) => message);

describe('the recent log', () => {
  it('HEALTH-7: has the lines as they were written, with the bounds of the log, whatever its format', () => {
    for (const format of ['json', 'text'] as const) {
      const { recent, log, written } = openLog(format);
      log.child({ plugin: 'doors' }).warn({ id: 'x'.repeat(1_000), err: new Error('broken') }, 'denied');
      const [hit] = recent.read(ALL).hits;
      expect(hit).toMatchObject({ level: 'warn', message: 'denied', fields: { plugin: 'doors' } });
      expect(hit?.fields).toMatchObject({ id: `${'x'.repeat(128)}… (1000 characters)`, err: { message: 'broken' } });
      expect(Object.keys(hit?.fields ?? {})).toEqual(['plugin', 'id', 'err']);
      expect(written).toHaveLength(1);
    }
  });

  it('HEALTH-7: has lines whose fields have the names of the level and the time', () => {
    const { recent, log } = openLog();
    log.warn({ level: 'gold', time: 'noon', msg: 'own' }, 'bought');
    const [hit] = recent.read({ ...ALL, level: 'warn' }).hits;
    expect(hit).toEqual({ level: 'warn', time: expect.any(Number) as number, message: 'bought', fields: {} });
  });

  it('HEALTH-7: answers with the newest lines, then with those after a position', () => {
    const { recent, log } = openLog();
    expect(recent.read(ALL)).toMatchObject({ hits: [], continued: false, pid: process.pid });
    for (let n = 0; n < 10; n += 1) log.info({}, `${n}`);
    const first = recent.read({ ...ALL, size: 3 });
    expect(messagesOf(first)).toEqual(['7', '8', '9']);
    expect(first.continued).toBe(false);
    expect(recent.read({ ...ALL, after: first.position })).toMatchObject({ hits: [], continued: true });
    for (let n = 10; n < 15; n += 1) log.info({}, `${n}`);
    const second = recent.read({ ...ALL, after: first.position, size: 3 });
    expect([messagesOf(second), second.continued]).toEqual([['10', '11', '12'], true]);
    const third = recent.read({ ...ALL, after: second.position, size: 3 });
    expect([messagesOf(third), third.continued]).toEqual([['13', '14'], true]);
  });

  it('HEALTH-7: leaves lines below a level out, and goes on after them', () => {
    const { recent, log } = openLog();
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
    const worst = recent.read({ level: 'warn', size: 1 });
    expect(messagesOf(worst)).toEqual(['error']);
    expect(messagesOf(recent.read({ ...ALL, level: 'warn' }))).toEqual(['warn', 'error']);
    log.info({}, 'after');
    const none = recent.read({ level: 'error', size: 10, after: worst.position });
    expect(none.hits).toEqual([]);
    expect(recent.read({ ...ALL, after: none.position }).hits).toEqual([]);
  });

  it('HEALTH-7: keeps at most 256 KiB, at least half of it, and says where lines are missing', () => {
    const { recent, log } = openLog();
    log.info({}, 'first');
    const { position } = recent.read(ALL);
    const filler = 'ä'.repeat(2_000);
    for (let n = 0; n < 500; n += 1) log.info({ n, reason: filler }, 'filled');
    const { hits, continued } = recent.read({ ...ALL, after: position });
    expect(continued).toBe(false);
    const bytes = Buffer.byteLength(JSON.stringify(hits));
    expect(bytes).toBeGreaterThan(110_000);
    expect(bytes).toBeLessThan(262_144);
    expect(hits.at(-1)?.fields).toMatchObject({ n: 499, reason: filler });
    const numbers = hits.map(({ fields }) => Number(fields['n']));
    expect(numbers).toEqual(numbers.map((_, at) => 500 - numbers.length + at));
  });

  it('HEALTH-7: a position of another process gives the newest lines', () => {
    const [one, other] = [openLog(), openLog()];
    one.log.info({}, 'one');
    other.log.info({}, 'other');
    const answer = other.recent.read({ ...ALL, after: one.recent.read(ALL).position });
    expect([messagesOf(answer), answer.continued]).toEqual([['other'], false]);
  });
});
