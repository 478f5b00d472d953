import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import { AddressTable, type ConnectionUse } from './AddressTable.js';
import { PortConnections, type PortLimits } from './PortConnections.js';

/** The parts of a socket that the limits use. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  sent: string | undefined;
  use: ConnectionUse = 'idle';
  bytesRead = 0;

  constructor(readonly remoteAddress: string) {
    super();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  resume(): void {}

  end(answer: string): void {
    this.sent = answer;
  }
}

const A = '198.51.100.1';
const B = '203.0.113.2';
const PROXY = '192.0.2.1';
const LOOPBACK = '127.0.0.1';
/** One of many addresses of a client: a /64 of its /48. */
const net = (number: number) => `2001:db8:0:${number}::1`;
const isDestroyed = ({ destroyed }: FakeSocket) => destroyed;

function open(limits: Partial<PortLimits> = {}, maxConnections = Infinity) {
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (_: object, message: string) => warnings.push(message) };
  const shared = {
    table: new AddressTable(),
    ports: new Set<AddressTable>(),
    maxConnections,
    isProxy: (address: string) => address === PROXY,
    log,
  };
  const all = { protocol: 'http', maxConnections: 6, maxConnectionsPerAddress: 3, ...limits };
  const port = new PortConnections(all, shared);
  const from = (address: string, use: ConnectionUse = 'idle', at = port) => {
    const socket = new FakeSocket(address);
    socket.use = use;
    const isTaken = at.accept(socket as never, () => socket.use);
    return Object.assign(socket, { isTaken });
  };
  return { port, shared, warnings, from, other: new PortConnections(all, shared) };
}

describe('PortConnections (PROTO-44)', () => {
  it('refuses what an address has too many of with 503, where all of them are in use', () => {
    const { from, warnings } = open();
    for (let each = 0; each < 3; each++) expect(from(A, 'busy').isTaken).toBe(true);
    const refused = from(A, 'busy');
    expect([refused.isTaken, refused.sent?.slice(0, 12)]).toEqual([false, 'HTTP/1.1 503']);
    expect(from(B).isTaken).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('http.maxConnectionsPerAddress')]);
  });

  it('closes the oldest idle connection of an address that has too many', () => {
    const { from } = open();
    const [busy, first, second] = [from(A, 'busy'), from(A), from(A)];
    expect(from(A).isTaken).toBe(true);
    expect([busy, first, second].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  });

  it('closes no connection that has just come, where older ones have sent a part of a request', () => {
    const { from } = open({ maxConnections: 4, maxConnectionsPerAddress: 10 });
    const old = Array.from({ length: 4 }, () => from(LOOPBACK));
    const replaced = from(LOOPBACK);
    // They are compared again, with more bytes than before.
    for (const socket of [...old, replaced]) socket.bytesRead = 20;
    const newcomer = from(LOOPBACK);
    from(LOOPBACK);
    from(LOOPBACK);
    expect([newcomer.destroyed, old.filter(isDestroyed).length]).toEqual([false, 4]);
  });

  it('counts IPv6 by network', () => {
    const { from } = open();
    for (let each = 0; each < 3; each++) from(`2001:db8::${each}`, 'busy');
    expect(from('2001:db8::9').isTaken).toBe(false);
    expect(from('2001:db8:0:1::9').isTaken).toBe(true);
  });

  it('has no limit per address for loopback and trusted proxies', () => {
    const { from } = open({ maxConnections: 100 });
    for (const address of ['127.0.0.1', '::1', PROXY]) {
      for (let each = 0; each < 10; each++) expect(from(address, 'busy').isTaken).toBe(true);
    }
  });

  it('when it is full, takes an idle connection of the address that has the most', () => {
    const { from } = open();
    const [one, ...many] = [from(B), from(A), from(A), from(A), from('c'), from('d')];
    expect(from(B).isTaken).toBe(true);
    expect([one.destroyed, many.map(isDestroyed)]).toEqual([false, [true, false, false, false, false]]);
  });

  it('takes no idle connection of a client that has fewer than the newcomer', () => {
    const { from } = open({ maxConnections: 4 });
    const honest = from(B);
    for (let each = 0; each < 3; each++) from(net(each), 'busy');
    expect([from(net(3)).isTaken, honest.destroyed]).toEqual([false, false]);
  });

  it('takes a lasting connection only for a network that has fewer', () => {
    const { from } = open({ maxConnections: 4 });
    const many = [1, 2, 3, 4].map((number) => from(net(number), 'lasting'));
    expect(from(net(5)).isTaken).toBe(false);
    expect(from(B, 'lasting').isTaken).toBe(true);
    expect(many.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    expect(from(B, 'lasting').isTaken).toBe(true);
    // Two each: neither address has more.
    expect(from(B, 'lasting').isTaken).toBe(false);
  });

  it('takes a busy connection only of a network with more than its share, the newest', () => {
    const { from } = open({ maxConnections: 4 });
    const many = [1, 2, 3, 4].map((number) => from(net(number), 'busy'));
    expect(from(net(5), 'busy').isTaken).toBe(false);
    expect(from(B, 'busy').isTaken).toBe(true);
    expect(many.map(isDestroyed)).toEqual([false, false, false, true]);
    for (const address of ['c', 'd']) expect(from(address, 'busy').isTaken).toBe(true);
    expect(many.map(isDestroyed)).toEqual([false, true, true, true]);
    // Each network has one.
    expect(from('e', 'busy').isTaken).toBe(false);
  });

  it('of idle connections closes first what has received nothing for longer', () => {
    const { from } = open({ maxConnections: 4 });
    const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => from(net(number)));
    from(B);
    expect(first?.destroyed).toBe(true);
    if (second !== undefined) second.bytesRead += 100;
    from(B);
    expect([second, third, fourth].map((socket) => socket?.destroyed)).toEqual([false, true, false]);
  });

  it('gives an address at most half of the port, whatever is configured', () => {
    const { from } = open({ maxConnectionsPerAddress: 1_000 });
    for (let each = 0; each < 3; each++) expect(from(A, 'busy').isTaken).toBe(true);
    expect(from(A, 'busy').isTaken).toBe(false);
    const { from: fromFew } = open({ maxConnectionsPerAddress: 1_000 }, 4);
    expect([1, 2, 3].map(() => fromFew(A, 'busy').isTaken)).toEqual([true, true, false]);
  });

  it('accepts some past the limit for probes, and replaces the oldest of these', () => {
    const { port, from, shared } = open({ maxConnections: 1, reserved: 2 });
    from(A, 'busy');
    const [first, ...others] = [from(A), from(A), from(B)];
    expect([first.isTaken, first.destroyed]).toEqual([true, true]);
    expect(others.map((socket) => port.isReserved(socket as never))).toEqual([true, true]);
    expect([others.some(isDestroyed), shared.table.size]).toEqual([false, 1]);
    for (const socket of others) socket.destroy();
  });

  it('never closes the connection of a trusted proxy for another client', () => {
    const { from } = open();
    for (let each = 0; each < 6; each++) from(PROXY);
    expect(from(B).isTaken).toBe(false);
  });

  it('shares the descriptors of the process between ports', () => {
    const { from, other, warnings } = open({}, 3);
    const idle = [from(net(1)), from(net(2)), from(net(3), 'lasting')];
    expect(from(B, 'idle', other).isTaken).toBe(true);
    expect(idle.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    expect(warnings).toEqual([expect.stringContaining('ulimit -n')]);
  });

  it('takes the descriptors from the fullest port', () => {
    const { from, other } = open({ maxConnections: 100, maxConnectionsPerAddress: 100 }, 6);
    const flood = [from(A), from(A), from(A), from(A), from(A)];
    const honest = from(B, 'idle', other);
    for (let each = 0; each < 20; each++) from(A);
    expect(flood.every(({ destroyed }) => destroyed)).toBe(true);
    expect(honest.destroyed).toBe(false);
  });

  it('counts a lasting connection for the client behind a trusted proxy', () => {
    const { port, from } = open({ maxConnections: 100 });
    const sockets = Array.from({ length: 4 }, () => from(PROXY));
    const claimed = sockets.map((socket) => port.claim(socket as never, A));
    expect(claimed).toEqual([true, true, true, false]);
    sockets[0]?.destroy();
    expect(port.claim(sockets[3] as never, A)).toBe(true);
  });

  it('counts sockets of another server once they are claimed, and none that is closed', () => {
    const { port, shared } = open();
    const [mounted, gone] = [new FakeSocket(A), new FakeSocket(A)];
    gone.destroy();
    expect([port.claim(mounted as never, A), port.claim(gone as never, A)]).toEqual([true, false]);
    expect(shared.table.size).toBe(1);
    mounted.destroy();
    expect([shared.table.size, port.holds(mounted as never)]).toEqual([0, false]);
  });

  it('forgets connections that have closed', () => {
    const { from, shared } = open();
    for (let each = 0; each < 1_000; each++) from(A).destroy();
    expect([shared.table.size, shared.table.countOf(A), from(A).isTaken]).toEqual([0, 0, true]);
  });
});
