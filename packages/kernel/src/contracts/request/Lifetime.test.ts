import { describe, expect, it } from 'vitest';
import { createRequest } from '../../messages/createRequest.js';
import { Lifetime } from './Lifetime.js';

describe('Lifetime', () => {
  it('runs each listener once when the connection closes, and at once when it is closed already', () => {
    const lifetime = new Lifetime();
    const seen: string[] = [];
    lifetime.onClosed(() => seen.push('kept'));
    lifetime.onClosed(() => seen.push('removed'))();
    lifetime.close();
    lifetime.close();
    lifetime.onClosed(() => seen.push('late'));
    expect([seen, lifetime.isClosed]).toEqual([['kept', 'late'], true]);
  });

  it('aborts the signal of its requests, and leaves those of connections that never close alone', () => {
    const lifetime = new Lifetime();
    const connection = { id: '1', protocol: 'test', remoteAddress: '' };
    const request = createRequest({}, { ...connection, lifetime });
    const { signal } = request;
    expect([signal.aborted, request.signal === signal]).toEqual([false, true]);
    const answered = createRequest({}, { ...connection, lifetime });
    void answered.signal;
    answered.settle();
    lifetime.close();
    expect(answered.signal.aborted).toBe(false);
    expect([signal.aborted, createRequest({}, connection).signal.aborted]).toEqual([true, false]);
  });
});
