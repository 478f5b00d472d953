import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../keyspace/failure.js';
import type { Reply } from '../keyspace/Reply.js';
import { WaitingCalls } from './WaitingCalls.js';

let calls: WaitingCalls;
/** Lists by key, of which a call takes the first element. */
let lists: Map<string, string[]>;
const { signal } = new AbortController();
beforeEach(() => {
  calls = new WaitingCalls();
  lists = new Map();
});

const take = (key: string): Reply => lists.get(key)?.shift() ?? null;
const wait = (keys: readonly string[], options: Partial<Parameters<WaitingCalls['wait']>[0]> = {}) =>
  calls.wait({ keys, timeoutMs: 60_000, signal, attempt: take, ...options });

function push(key: string, ...elements: readonly string[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...elements]);
  calls.serve(new Set([key]));
}

describe('calls that wait for keys (MEM-40)', () => {
  it('are served in the order of their arrival, as long as there is something', async () => {
    const [first, second, third] = [wait(['list']), wait(['other', 'list']), wait(['list'])];
    push('list', 'a', 'b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
    expect(calls.count).toBe(1);
    push('list', 'c');
    expect(await third).toBe('c');
    expect(calls.count).toBe(0);
  });

  it('are served by the first of their keys that is ready, once', async () => {
    const waiting = wait(['a', 'b']);
    push('b', 'of b');
    push('a', 'of a');
    expect(await waiting).toBe('of b');
    expect(lists.get('a')).toEqual(['of a']);
  });

  it('serve those that wait for what they make ready', async () => {
    const ready = new Set<string>();
    const move = (key: string) => {
      const element = take(key);
      if (element !== null) {
        lists.set('target', [element as string]);
        ready.add('target');
        // A command may serve while it is served.
        calls.serve(ready);
      }
      return element;
    };
    const [moved, waiting] = [wait(['list'], { attempt: move }), wait(['target'])];
    lists.set('list', ['a']);
    ready.add('list');
    calls.serve(ready);
    expect(await Promise.all([moved, waiting])).toEqual(['a', 'a']);
    expect(ready.size).toBe(0);
  });

  it('run once if they make their own key ready', async () => {
    const rotate = (key: string) => {
      const element = take(key);
      if (element !== null) push(key, element as string);
      return element;
    };
    const waiting = wait(['list'], { attempt: rotate });
    push('list', 'a', 'b');
    expect(await waiting).toBe('a');
    expect(lists.get('list')).toEqual(['b', 'a']);
  });

  it('fail alone if their command fails', async () => {
    const failing = wait(['list'], {
      attempt: () => {
        throw failure('ERR of the command');
      },
    });
    const next = wait(['list']);
    push('list', 'a');
    await expect(failing).rejects.toThrow('ERR of the command');
    expect(await next).toBe('a');
  });

  it('return null after their time, and take nothing later', async () => {
    expect(await wait(['list'], { timeoutMs: 1 })).toBeNull();
    expect(calls.count).toBe(0);
    push('list', 'a');
    expect(lists.get('list')).toEqual(['a']);
  });

  it('fail when they are aborted, also before they begin', async () => {
    const controller = new AbortController();
    const waiting = wait(['list'], { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toThrow('the wait was ended');
    await expect(wait(['list'], { signal: controller.signal })).rejects.toThrow('the wait was ended');
    expect(calls.count).toBe(0);
  });

  it('forget keys that were ready before they arrived', async () => {
    const ready = new Set(['list']);
    calls.serve(ready);
    expect(ready.size).toBe(0);
    let isServed = false;
    const waiting = wait(['list']).finally(() => (isServed = true));
    await setImmediate();
    expect(isServed).toBe(false);
    push('list', 'a');
    expect(await waiting).toBe('a');
  });
});
