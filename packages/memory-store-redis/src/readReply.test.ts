import { describe, expect, it } from 'vitest';
import { memoryErrors } from '@millrace/kernel';
import { readReply, toRegisteredError } from './readReply.js';

describe('replies of Redis', () => {
  it('keep integers exact and distinguish them from strings (MEM-21)', () => {
    const raw = ['9007199254740992', '-5', Buffer.from('12'), Buffer.from([0xff, 0x61]), null, []];
    expect(readReply('X', raw)).toEqual(['9007199254740992', -5, '12', '\ufffda', null, []]);
  });

  it('are bytes for DUMP alone', () => {
    expect(readReply('DUMP', Buffer.from([0xff]))).toEqual(new Uint8Array([0xff]));
  });

  it.each([
    ['ERR no such key', 'memory.command_error'],
    ['WRONGTYPE Operation', 'memory.command_error'],
    ['BUSYKEY Target key name already exists.', 'memory.command_error'],
    ['BUSY Redis is busy running a script', 'memory.unavailable'],
    ['LOADING Redis is loading the dataset in memory', 'memory.unavailable'],
    ['OOM command not allowed', 'memory.unavailable'],
    ['Socket closed unexpectedly', 'memory.unavailable'],
    ['connect ECONNREFUSED 10.1.2.3:6379', 'memory.unavailable'],
  ])('a reply of "%s" is %s, without a host name (1.5)', (message, id) => {
    const error = toRegisteredError(new Error(message)) as { id: string; message: string };
    expect(error.id).toBe(id);
    expect(error.message).not.toContain('10.1.2.3');
  });

  it('replies that refuse the service stay for the log', () => {
    const refusal = new Error('NOAUTH Authentication required.');
    expect(toRegisteredError(refusal)).toBe(refusal);
    const registered = memoryErrors.unavailable({ reason: 'x' });
    expect(toRegisteredError(registered)).toBe(registered);
  });
});
