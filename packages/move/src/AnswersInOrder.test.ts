import { describe, expect, it } from 'vitest';
import { AnswersInOrder } from './AnswersInOrder.js';

describe('AnswersInOrder', () => {
  it('answers in the order of the positions, however long the ways of the writes are', async () => {
    const answers = new AnswersInOrder();
    const answered: string[] = [];
    const recorded = Promise.resolve();
    const write = async (cursor: string, hops: number) => {
      const work = async () => {
        await recorded;
        for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
        return cursor;
      };
      answered.push(await answers.after(work(), (result) => result));
    };
    await Promise.all([write('e.1', 9), write('e.2', 0), write('e.3', 4), write('e.4', 0)]);
    expect(answered).toEqual(['e.1', 'e.2', 'e.3', 'e.4']);
  });
});
