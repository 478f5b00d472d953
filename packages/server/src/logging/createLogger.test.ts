import { LOG_CHANNEL, type LogTrace } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { createLogger } from './createLogger.js';

function logged(write: (log: ReturnType<typeof createLogger>) => void): readonly string[] {
  const lines: string[] = [];
  write(createLogger({ level: 'info', format: 'json' }, { write: (line: string) => void lines.push(line) }));
  return lines;
}

const MEGABYTE = 'x'.repeat(1_048_576);

/** The logged line, and its parsed content. */
function lineOf(fields: object, message = 'denied'): { text: string; values: Record<string, unknown> } {
  const [text = ''] = logged((log) => log.warn(fields, message));
  return { text, values: JSON.parse(text) as Record<string, unknown> };
}

describe('createLogger', () => {
  it('lets tools add fields to a line', () => {
    const add = (line: unknown) => void ((line as LogTrace).fields['trace_id'] = 'a1');
    LOG_CHANNEL.subscribe(add);
    const { values } = lineOf({ id: 'x' });
    LOG_CHANNEL.unsubscribe(add);
    expect(values).toMatchObject({ id: 'x', trace_id: 'a1' });
    expect(lineOf({ id: 'x' }).values).not.toHaveProperty('trace_id');
  });

  it('cuts values that may come from a client at 128 characters', () => {
    const { text, values } = lineOf({ index: MEGABYTE, id: 'short' });
    expect(values).toMatchObject({
      index: `${'x'.repeat(128)}… (1048576 characters)`,
      id: 'short',
    });
    expect(text.length).toBeLessThan(400);
  });

  it('cuts values of a child logger, of objects and of arrays', () => {
    const [text = ''] = logged((log) => log.child({ protocol: MEGABYTE }).warn({ a: { b: [MEGABYTE] } }, 'm'));
    expect(text.length).toBeLessThan(600);
    expect(JSON.parse(text)).toMatchObject({ a: { b: [expect.stringContaining('…') as string] } });
  });

  it('cuts messages, stacks and reasons at 4,096 characters', () => {
    const error = new Error(MEGABYTE);
    error.stack = `Error\n${MEGABYTE}`;
    const { text, values } = lineOf({ err: error, reason: MEGABYTE }, MEGABYTE);
    expect(text.length).toBeLessThan(20_000);
    expect(values).toMatchObject({ err: { type: 'Error' } });
    expect(String(values['reason'])).toHaveLength(4_096 + '… (1048576 characters)'.length);
    expect(String(values['msg'])).toHaveLength(4_096 + '… (1048576 characters)'.length);
  });

  it('keeps the stack and code of an error, whatever its field is called', () => {
    const error = Object.assign(new Error('broken'), { code: 'EIO' });
    const { values } = lineOf({ error });
    expect(values['error']).toMatchObject({
      message: 'broken',
      code: 'EIO',
      stack: expect.stringContaining('createLogger.test') as string,
    });
  });

  it('bounds members, depth and items, also of an object that holds itself', () => {
    const self: Record<string, unknown> = {};
    self['self'] = self;
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]));
    const list = Array.from({ length: 100_000 }, (_, n) => n);
    const { text, values } = lineOf({ self, many, list });
    expect(text.length).toBeLessThan(2_000);
    expect(values['list']).toHaveLength(33);
  });

  it('writes nothing below its level', () => {
    expect(logged((log) => log.debug({ a: 1 }, 'm'))).toEqual([]);
  });
});
