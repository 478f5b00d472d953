import { expect, it } from 'vitest';
import { MAX_TASKS, SearchWindow } from './SearchWindow.js';

function windowAfter(times: readonly number[]): SearchWindow {
  const window = new SearchWindow();
  for (const ms of times) window.add(ms);
  return window;
}

it('SearchWindow sends few tasks to the search thread before their time is known', () => {
  expect(new SearchWindow().size).toBe(3);
});

it('SearchWindow sends as many short tasks as fit into 8 ms, up to a limit', () => {
  expect(windowAfter(Array<number>(200).fill(1)).size).toBe(8);
  expect(windowAfter(Array<number>(200).fill(0.1)).size).toBe(MAX_TASKS);
});

it('SearchWindow sends few tasks again after a single long one, and more only after many short ones', () => {
  const long = [...Array<number>(200).fill(0.1), 900];
  expect(windowAfter(long).size).toBe(3);
  expect(windowAfter([...long, ...Array<number>(50).fill(0.1)]).size).toBe(3);
  expect(windowAfter([...long, ...Array<number>(300).fill(0.1)]).size).toBe(MAX_TASKS);
});
