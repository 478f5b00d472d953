import { describe, expect, it } from 'vitest';
import { SealedTickets } from './SealedTickets.js';

function open(maxRedeemed?: number) {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  return { time, clock, tickets: new SealedTickets(clock, maxRedeemed) };
}

describe('SealedTickets', () => {
  it('gives the value to every reader, and once to those who redeem', () => {
    const { tickets } = open();
    const ticket = tickets.issue({ n: 1 }, 100);
    expect(ticket).toMatch(/^[\w-]{50,128}$/);
    expect([tickets.read(ticket), tickets.read(ticket)]).toEqual([{ n: 1 }, { n: 1 }]);
    expect([tickets.redeem(ticket), tickets.redeem(ticket)]).toEqual([{ n: 1 }, null]);
    expect(tickets.read(ticket)).toBeNull();
  });

  it('can be a segment of a path, which must not begin with an underscore (PROTO-25)', () => {
    const { tickets } = open();
    const begins = Array.from({ length: 2_000 }, () => tickets.issue({}, 100)[0]);
    expect(begins.filter((letter) => letter === '_')).toEqual([]);
  });

  it('ends with its life', () => {
    const { tickets, time } = open();
    const ticket = tickets.issue({}, 100);
    time.ms = 99;
    expect(tickets.read(ticket)).toEqual({});
    time.ms = 100;
    expect([tickets.read(ticket), tickets.redeem(ticket)]).toEqual([null, null]);
  });

  it('hides the value, and differs for equal values', () => {
    const { tickets } = open();
    const [one, two] = [tickets.issue({ secret: 'abc' }, 9), tickets.issue({ secret: 'abc' }, 9)];
    expect(one).not.toBe(two);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('abc');
  });

  it('opens nothing that it has not issued, whatever is changed in it', () => {
    const { tickets, clock } = open();
    const ticket = tickets.issue({ n: 1 }, 100);
    for (let at = 0; at < ticket.length - 1; at++) {
      const other = ticket[at] === 'A' ? 'B' : 'A';
      expect(tickets.read(ticket.slice(0, at) + other + ticket.slice(at + 1)), `${at}`).toBeNull();
    }
    const wrong = [
      '',
      'x',
      'A'.repeat(60),
      ticket.slice(4),
      `${ticket}AAAA`,
      `${ticket}=`,
      ` ${ticket}`,
      'A'.repeat(100_000),
    ];
    for (const each of wrong) expect(tickets.read(each)).toBeNull();
    expect(new SealedTickets(clock).read(ticket)).toBeNull();
  });

  it('redeems one spelling of a ticket', () => {
    const { tickets } = open();
    // Depending on the length, two bits of the last character are unused.
    const ticket = Array.from({ length: 3 }, (_, n) => tickets.issue({ pad: 'x'.repeat(n) }, 100)).find(
      (each) => each.length % 4 !== 0,
    );
    const bytes = Buffer.from(ticket ?? '', 'base64url');
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = [...last]
      .map((letter) => `${ticket?.slice(0, -1)}${letter}`)
      .filter((each) => Buffer.from(each, 'base64url').equals(bytes));
    expect(spellings.length).toBeGreaterThan(1);
    expect(spellings.map((each) => tickets.redeem(each)).filter((each) => each !== null)).toHaveLength(1);
  });

  it('keeps nothing for tickets that were only issued', () => {
    const { tickets } = open(2);
    const first = tickets.issue({ n: 0 }, 100);
    for (let n = 1; n < 1_000; n++) tickets.issue({ n }, 100);
    expect(tickets.redeem(first)).toEqual({ n: 0 });
    expect(tickets.redeem(first)).toBeNull();
  });

  it('refuses values that a ticket should not carry', () => {
    expect(() => open().tickets.issue({ text: 'x'.repeat(16_384) }, 100)).toThrow(RangeError);
  });
});
