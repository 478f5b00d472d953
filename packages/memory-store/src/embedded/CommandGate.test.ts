import { describe, expect, it } from 'vitest';
import type { Steps } from '../steps/Steps.js';
import { SLICE_MS } from '../steps/TurnBudget.js';
import { CommandGate } from './CommandGate.js';

/** Takes several slices: each step is longer than one. */
function* long(name: string, order: string[]): Steps<string> {
  order.push(`${name} begins`);
  for (let step = 0; step < 3; step++) {
    const endMs = performance.now() + SLICE_MS + 1;
    while (performance.now() < endMs);
    yield;
  }
  order.push(`${name} ends`);
  return name;
}

const costly = (caller: string, name: string, order: string[]) => ({
  caller,
  run: () => long(name, order),
  isCostly: () => true,
});
const cheap = (caller: string, name: string, order: string[]) => ({
  caller,
  run: () => {
    order.push(name);
    return name;
  },
  isCostly: () => false,
});

describe('CommandGate', () => {
  it('runs nothing between the steps of a task, cheap tasks next, and callers in turn', async () => {
    const gate = new CommandGate();
    const order: string[] = [];
    await Promise.all([
      gate.run(costly('a', 'a1', order)),
      gate.run(costly('a', 'a2', order)),
      gate.run(cheap('a', 'a3', order)),
      gate.run(costly('b', 'b1', order)),
      gate.run(cheap('c', 'c1', order)),
    ]);
    expect(order).toEqual(['a1 begins', 'a1 ends', 'c1', 'a2 begins', 'a2 ends', 'a3', 'b1 begins', 'b1 ends']);
    expect(gate.pauseCount).toBeGreaterThan(3);
    expect(gate.isHeld).toBe(false);
  });

  it('answers cheap tasks at once, and throws what they throw', () => {
    const gate = new CommandGate();
    expect(gate.run(cheap('a', 'x', []))).toBe('x');
    const failing = {
      caller: 'a',
      run: () => {
        throw new RangeError('no');
      },
      isCostly: () => false,
    };
    expect(() => gate.run(failing)).toThrow('no');
    expect(gate.isHeld).toBe(false);
  });

  it('goes on after a task that failed between its steps', async () => {
    const gate = new CommandGate();
    const order: string[] = [];
    function* failing(): Steps<string> {
      yield* long('first', order);
      throw new RangeError('no');
    }
    const failed = gate.run({ caller: 'a', run: failing, isCostly: () => true });
    const next = gate.run(cheap('a', 'next', order));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('rejects what waits when it is closed, once the task under way is done', async () => {
    const gate = new CommandGate();
    const order: string[] = [];
    const under = gate.run(costly('a', 'under way', order));
    const waiting = Promise.resolve(gate.run(cheap('b', 'waiting', order)));
    const outcome = expect(waiting).rejects.toThrow('it is stopped');
    await gate.close('it is stopped');
    await outcome;
    expect(await under).toBe('under way');
    expect(order).toEqual(['under way begins', 'under way ends']);
  });
});
