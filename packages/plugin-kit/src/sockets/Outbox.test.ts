import { Writable } from 'node:stream';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ByteBudget, type ByteAccount } from '@millrace/kernel';
import { Outbox, type OutboxLimits } from './Outbox.js';

/** A socket whose peer reads on command. */
function slowSocket() {
  const batches: Buffer[] = [];
  let release: (() => void) | undefined;
  const take = (bytes: Buffer, done: () => void) => {
    batches.push(bytes);
    release = done;
  };
  const socket = new Writable({
    write: (chunk: Buffer, _, done) => take(chunk, done),
    writev: (chunks, done) => take(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  });
  let acceptedBytes = 0;
  Object.defineProperty(socket, 'bytesWritten', {
    get: () => acceptedBytes + socket.writableLength,
  });
  return {
    socket: socket as unknown as Socket,
    batches,
    /** Lets the peer read the current batch. */
    read: async () => {
      acceptedBytes += batches.at(-1)?.length ?? 0;
      const done = release;
      release = undefined;
      done?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** As an owner of an outbox does. */
function openOutbox(socket: Socket, ...rest: [account?: ByteAccount, limits?: OutboxLimits]) {
  const outbox = new Outbox(socket, ...rest);
  socket.on('drain', () => outbox.pump());
  return outbox;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Outbox', () => {
  it('hands all messages of one tick to the socket in one write', async () => {
    const { socket, batches } = slowSocket();
    const outbox = openOutbox(socket);
    for (const text of ['a', 'b', 'c']) outbox.send(Buffer.from(text));
    expect(batches).toEqual([]);
    await turn();
    expect(batches.map(String)).toEqual(['abc']);
  });

  it('gives a socket that is full nothing more until it has drained, and keeps the order', async () => {
    const { socket, batches, read } = slowSocket();
    const outbox = openOutbox(socket);
    const messages = Array.from({ length: 2_000 }, (_, n) => Buffer.alloc(1_000, n % 251));
    for (const message of messages) outbox.send(message);
    await turn();
    expect(outbox.isCongested).toBe(true);
    expect(batches[0]?.length).toBeLessThan(300_000);
    expect(outbox.waitingBytes).toBe(2_000_000);
    let isEmpty = false;
    outbox.whenEmpty(() => (isEmpty = true));
    for (let reads = 0; reads < 20 && !isEmpty; reads++) await read();
    expect(isEmpty).toBe(true);
    await read();
    expect(Buffer.concat(batches).equals(Buffer.concat(messages))).toBe(true);
    expect([outbox.waitingBytes, outbox.isCongested]).toEqual([0, false]);
  });

  it('does not count a message as waiting while it is being sent, however long', async () => {
    const { socket, batches, read } = slowSocket();
    const outbox = openOutbox(socket);
    outbox.send(Buffer.alloc(20_000_000));
    expect(outbox.waitingBytes).toBeLessThan(300_000);
    outbox.send(Buffer.alloc(1_000));
    expect(outbox.waitingBytes).toBeGreaterThanOrEqual(1_000);
    for (let reads = 0; reads < 100; reads++) await read();
    expect(Buffer.concat(batches)).toHaveLength(20_001_000);
  });

  it('sends a message of several parts as one', async () => {
    const { socket, batches, read } = slowSocket();
    const outbox = openOutbox(socket);
    const parts = [300_000, 10, 5_000_000, 1].map((length, n) => Buffer.alloc(length, n + 1));
    outbox.send(Buffer.alloc(200_000, 9));
    outbox.sendParts(parts);
    outbox.send(Buffer.alloc(1_000, 7));
    expect(outbox.waitingBytes).toBeLessThan(600_000);
    for (let reads = 0; reads < 40; reads++) await read();
    const sent = [Buffer.alloc(200_000, 9), ...parts, Buffer.alloc(1_000, 7)];
    expect(Buffer.concat(batches).equals(Buffer.concat(sent))).toBe(true);
    outbox.sendParts([Buffer.alloc(10), Buffer.alloc(1_000_000)]);
    await turn();
    expect(outbox.close()).toBe(true);
  });

  it('reports a client that takes nothing, from the moment something waits', async () => {
    const { socket, read } = slowSocket();
    const reasons: string[] = [];
    const outbox = openOutbox(socket, undefined, {
      maxWaitingBytes: 10_000_000,
      maxStallMs: 2_999,
      onSlow: (reason) => reasons.push(reason),
    });
    const watch = (nowMs: number) => {
      outbox.watch(nowMs);
      return reasons.splice(0);
    };
    expect(watch(1_000)).toEqual([]);
    outbox.send(Buffer.alloc(1_000_000));
    await turn();
    expect(watch(2_000)).toEqual([]);
    expect(watch(5_000)).toEqual(['time']);
    await read();
    expect(watch(6_000)).toEqual([]);
    expect(watch(8_999)).toEqual([]);
    expect(watch(9_000)).toEqual(['time']);
  });

  it('reports a client for which too many bytes wait', async () => {
    const { socket } = slowSocket();
    const reasons: string[] = [];
    const outbox = openOutbox(socket, undefined, {
      maxWaitingBytes: 1_000,
      maxStallMs: 1_000,
      onSlow: (reason) => reasons.push(reason),
    });
    outbox.send(Buffer.alloc(900));
    await turn();
    expect(reasons).toEqual([]);
    outbox.send(Buffer.alloc(200));
    expect(reasons).toEqual(['bytes']);
  });

  it('forgets what waits when it is closed, and says whether a message was cut', async () => {
    const { socket, batches, read } = slowSocket();
    const outbox = openOutbox(socket);
    outbox.send(Buffer.alloc(1_000_000));
    await turn();
    expect(outbox.close()).toBe(true);
    outbox.send(Buffer.from('late'));
    const before = batches.length;
    await read();
    expect(batches).toHaveLength(before);
    expect(openOutbox(slowSocket().socket).close()).toBe(false);
  });

  it('counts what waits for the address of the client until it has left or is dropped', async () => {
    const budget = new ByteBudget(1_500_000);
    const { socket, read } = slowSocket();
    const reasons: string[] = [];
    const outbox = openOutbox(socket, budget.open('10.0.0.1'), {
      maxWaitingBytes: 10_000_000,
      maxStallMs: 1_000,
      onSlow: (reason) => reasons.push(reason),
    });
    outbox.send(Buffer.alloc(100_000));
    expect(budget.heldBytes).toBe(0);
    outbox.send(Buffer.alloc(900_000));
    expect(reasons).toEqual([]);
    outbox.send(Buffer.alloc(900_000));
    expect(reasons).toEqual(['bytes']);
    const before = budget.heldBytes;
    await turn();
    await read();
    expect(budget.heldBytes).toBeLessThan(before);
    outbox.close();
    expect(budget.heldBytes).toBe(0);
  });
});
