import { describe, expect, it } from 'vitest';
import type { RealtimeConfig } from '../config.js';
import { FollowBudget } from './FollowBudget.js';
import type { FollowView } from './FollowView.js';

const [GREEDY, OTHER] = ['192.0.2.1', '192.0.2.2'];

function open() {
  const follow = { maxViews: 9, maxBytes: 900, maxWindow: 1 };
  return new FollowBudget({ follow } as RealtimeConfig);
}

const view = () => ({}) as FollowView;

describe('FollowBudget', () => {
  it('FOLLOW-8: leaves followed searches to other addresses', () => {
    const budget = open();
    const add = (address: string) => {
      const added = view();
      budget.add(added, 'rerun', address);
      return added;
    };
    const held = Array.from({ length: 6 }, () => add(GREEDY));
    expect(() => add(GREEDY)).toThrow('Too many');
    add(OTHER);
    for (const each of held) budget.remove(each);
    add(GREEDY);
  });

  it('FOLLOW-8: leaves memory to other addresses, and ends no search that does not grow', () => {
    const budget = open();
    const [first, second, third] = [view(), view(), view()];
    budget.add(first, 'rerun', GREEDY);
    expect(() => budget.keep(first, 601)).toThrow('take all memory');
    budget.keep(first, 600);
    expect(() => budget.keep(first, 700)).toThrow('take all memory');
    budget.add(second, 'rerun', OTHER);
    budget.keep(second, 200);
    budget.keep(first, 600);
    budget.remove(first);
    budget.add(third, 'rerun', GREEDY);
    budget.keep(third, 400);
  });
});
