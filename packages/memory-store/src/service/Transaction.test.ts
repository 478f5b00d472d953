import { ByteBudget, type MemoryStoreEngine } from '@millrace/kernel';
import { expect, it, vi } from 'vitest';
import type { BlockingSlots } from './BlockingSlots.js';
import { Transaction } from './Transaction.js';

it('a transaction gives its slot back if the engine refuses to open its half', () => {
  const release = vi.fn();
  const slots = { take: () => release } as unknown as BlockingSlots;
  const openTransaction = () => {
    throw new Error('not started');
  };
  const account = new ByteBudget(1_000).open('192.0.2.1');
  const transaction = new Transaction(account, { openTransaction } as unknown as MemoryStoreEngine, slots);
  expect(() => transaction.hold()).toThrow('not started');
  transaction.close();
  expect(release).toHaveBeenCalledOnce();
});
