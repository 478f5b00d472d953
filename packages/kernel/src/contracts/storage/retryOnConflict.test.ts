import { describe, expect, it } from 'vitest';
import { documentErrors } from './errors.js';
import { retryOnConflict } from './retryOnConflict.js';

const conflict = () => documentErrors.version_conflict({ id: 'a', expected: 1, actual: 2 });
const failing = (error: () => Error, failures: number) => {
  let runs = 0;
  const task = () => (++runs > failures ? Promise.resolve(runs) : Promise.reject(error()));
  return { task, runs: () => runs };
};

describe('retryOnConflict', () => {
  it('runs the task until another writer was no longer faster', async () => {
    expect(await retryOnConflict(failing(conflict, 2).task, 3)).toBe(3);
  });

  it('fails after the allowed number of tries', async () => {
    const { task, runs } = failing(conflict, 9);
    await expect(retryOnConflict(task, 3)).rejects.toMatchObject({ status: 409 });
    expect(runs()).toBe(3);
  });

  it('retries only the given failure', async () => {
    const other = failing(() => new Error('disk full'), 1);
    await expect(retryOnConflict(other.task, 3)).rejects.toThrow('disk full');
    expect(other.runs()).toBe(1);
    const told = failing(() => new Error('closed'), 1);
    expect(await retryOnConflict(told.task, 3, (error) => error instanceof Error)).toBe(2);
  });
});
