import { describe, expect, it } from 'vitest';
import { ByteBudget } from './ByteBudget.js';

describe('ByteBudget', () => {
  it('gives a single address two thirds of the pool, and leaves the rest for others', () => {
    const budget = new ByteBudget(900);
    const first = budget.open('10.0.0.1');
    expect([first.take(600), first.take(1)]).toEqual([true, false]);
    const second = budget.open('10.0.0.2');
    expect([second.take(200), second.take(1)]).toEqual([true, false]);
    expect(budget.open('10.0.0.3').take(66)).toBe(true);
    expect(budget.heldBytes).toBe(866);
  });

  it('counts all accounts of an address, and all addresses of an IPv6 network, as one', () => {
    const budget = new ByteBudget(900);
    expect(budget.open('2001:db8::1').take(600)).toBe(true);
    expect(budget.open('2001:db8::2').take(1)).toBe(false);
    expect(budget.open('2001:db8:0:1::2').take(1)).toBe(true);
  });

  it('says of bytes that never fit that they are too many, and of others that they may fit later', () => {
    const budget = new ByteBudget(900);
    const account = budget.open('10.0.0.1');
    expect(account.take(601)).toBe(false);
    expect(account.refusal('request')).toMatchObject({
      id: 'api.request_too_heavy',
      status: 413,
      message: expect.stringContaining('600 bytes') as string,
    });
    expect(account.refusal('answer')).toMatchObject({ id: 'api.answer_too_heavy', status: 400 });
    expect(account.take(300)).toBe(true);
    const other = budget.open('10.0.0.2');
    expect(other.take(500)).toBe(false);
    expect(other.refusal('request')).toMatchObject({ id: 'core.overloaded', status: 503 });
    expect(account.take(301)).toBe(false);
    expect(account.refusal('request')).toMatchObject({ id: 'api.request_too_heavy' });
  });

  it('takes back in parts and as a whole, never more than was taken', () => {
    const budget = new ByteBudget(900);
    const account = budget.open('10.0.0.1');
    account.add(700);
    expect([account.isOverdrawn, account.heldBytes]).toEqual([true, 700]);
    account.give(200);
    expect(account.isOverdrawn).toBe(false);
    account.give(10_000);
    account.close();
    account.close();
    expect([budget.heldBytes, account.heldBytes]).toEqual([0, 0]);
  });
});
