import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '@millrace/kernel';
import { FilterIntake, type Waiting } from './FilterIntake.js';

const of = (id: string, session: Session | null = null): Waiting => ({ connection: { id }, session }); // prettier-ignore
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('filters on their way in', () => {
  const intake = new FilterIntake();
  const log: string[] = [];
  const ended: string[] = [];
  function* steps(name: string, count: number): Generator<undefined, string, undefined> {
    try {
      for (let i = 1; i < count; i++) {
        log.push(`${name}${i}`);
        yield;
      }
      log.push(`${name}${count}`);
      return name;
    } finally {
      ended.push(name);
    }
  }
  afterEach(async () => {
    await intake.stop();
    log.length = ended.length = 0;
  });

  it('are done at once where one step is enough and nothing waits', () => {
    expect(intake.run(of('a'), steps('x', 1))).toBe('x');
    expect(() => intake.run(of('a'), failing())).toThrow('no filter');
    expect(intake.after(of('a'), () => 'now')).toBe('now');
  });

  it('take a step per turn of the event loop, one after the other in the order of the requests', async () => {
    const first = intake.run(of('a'), steps('x', 3));
    const second = intake.run(of('b'), steps('y', 2));
    const third = intake.run(of('a'), failing());
    const told = expect(third).rejects.toThrow('no filter');
    expect(log).toEqual(['x1']);
    await turn();
    expect(log).toEqual(['x1', 'x2']);
    expect(await Promise.all([first, second])).toEqual(['x', 'y']);
    await told;
    expect(log).toEqual(['x1', 'x2', 'x3', 'y1', 'y2']);
    expect(intake.run(of('a'), steps('z', 1))).toBe('z');
  });

  it('of one connection let those of others pass after each', async () => {
    const all = [
      intake.run(of('a'), steps('x', 2)),
      intake.run(of('a'), steps('y', 2)),
      intake.run(of('a'), steps('z', 1)),
      intake.run(of('b'), steps('u', 1)),
      intake.run(of('c'), steps('v', 2)),
      intake.run(of('b'), steps('w', 1)),
    ];
    const told = vi.fn();
    intake.onTaken(told);
    await Promise.all(all.map(async (each) => each));
    expect(log).toEqual(['x1', 'x2', 'u1', 'v1', 'v2', 'y1', 'y2', 'w1', 'z1']);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('come before what the same connection asks for next, and not before what others ask for', async () => {
    const first = intake.run(of('a'), steps('x', 3));
    expect(intake.after(of('b'), () => log.push('b'))).toBe(2);
    const later = intake.after(of('a'), () => log.push('a'));
    await first;
    await later;
    expect(log).toEqual(['x1', 'b', 'x2', 'x3', 'a']);
  });

  it('are given up with their connection, whatever stands before and behind them', async () => {
    const first = intake.run(of('a'), steps('x', 3));
    const second = intake.run(of('b'), steps('y', 2));
    const third = intake.run(of('c'), steps('z', 1));
    const told = vi.fn();
    intake.onTaken(told);
    const [lost, refused] = [first, second].map((each) => expect(each).rejects.toMatchObject({ status: 401 })); // prettier-ignore
    intake.drop(({ connection }) => connection.id !== 'c');
    await Promise.all([lost, refused]);
    expect(told).not.toHaveBeenCalled();
    expect(await third).toBe('z');
    expect(told).toHaveBeenCalledTimes(1);
    expect(log).toEqual(['x1', 'z1']);
    expect(ended).toEqual(['x', 'z']);
  });

  it('take the token that came meanwhile', async () => {
    const [old, later] = ['old', 'later'].map((tokenId) => ({ tokenId }) as Session);
    const waiting = of('a', old);
    const done = intake.run(waiting, steps('x', 2));
    intake.replaceSession(({ session }) => session === old, later as Session);
    await done;
    expect(waiting.session).toBe(later);
  });

  it('are refused with the end of their server', async () => {
    const done = expect(intake.run(of('a'), steps('x', 5))).rejects.toMatchObject({ status: 503 });
    await intake.stop();
    await done;
    await turn();
    expect(log).toEqual(['x1']);
    expect(ended).toEqual(['x']);
  });
});

function* failing(): Generator<undefined, never, undefined> {
  throw new Error('no filter');
}
