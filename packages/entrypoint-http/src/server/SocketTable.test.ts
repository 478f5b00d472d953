import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurn, type PortConnections } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { SocketTable } from './SocketTable.js';

class FakeSocket extends EventEmitter {
  destroyed = false;
  isPaused = false;

  destroy(): void {
    this.destroyed = true;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  destroySoon(): void {
    this.destroy();
  }
}

/** Bytes of a message that is parsed in a turn by itself. */
const LONG = 100_000;
const PORT = { accept: () => true, isReserved: () => false } as unknown as PortConnections;

function open() {
  const table = new SocketTable({ isProbe: () => false });
  const socket = new FakeSocket();
  table.open(socket as unknown as Socket, PORT);
  const begun: number[] = [];
  const answers: EventEmitter[] = [];
  const begin = (number: number) => {
    const response = new EventEmitter();
    answers[number] = response;
    const request = { socket } as unknown as IncomingMessage;
    table.begin(request, response as ServerResponse, () => begun.push(number));
  };
  return {
    table,
    socket,
    begun,
    begin,
    answer: (number: number) => answers[number]?.emit('close'),
  };
}

describe('SocketTable', () => {
  it('PROTO-33: runs the requests of a client that does not wait one after the other, each in another turn', async () => {
    const { begun, begin, answer } = open();
    for (const number of [0, 1, 2]) begin(number);
    expect(begun).toEqual([0]);
    answer(0);
    expect(begun).toEqual([0]);
    await nextTurn();
    expect(begun).toEqual([0, 1]);
    answer(1);
    await nextTurn();
    expect(begun).toEqual([0, 1, 2]);
  });

  it('PROTO-33: begins the requests of many sockets in turn from each address', async () => {
    const table = new SocketTable({ isProbe: () => false });
    const begun: string[] = [];
    const send = (remoteAddress: string) => {
      const socket = Object.assign(new FakeSocket(), { remoteAddress });
      table.open(socket as unknown as Socket, PORT);
      const request = { socket } as unknown as IncomingMessage;
      table.begin(request, new EventEmitter() as ServerResponse, () => {
        const endMs = performance.now() + 1;
        while (performance.now() < endMs);
        begun.push(remoteAddress);
      });
    };
    for (let n = 0; n < 30; n++) send('10.0.0.1');
    send('10.0.0.2');
    const inFirstTurn = begun.length;
    while (begun.length < 31) await nextTurn();
    expect(inFirstTurn).toBeLessThan(30);
    expect(begun.indexOf('10.0.0.2')).toBeLessThanOrEqual(inFirstTurn + 1);
  });

  it('PROTO-33: does not begin a request whose client has gone while it waited for its turn', async () => {
    const { begun, begin, socket } = open();
    let isBusy = true;
    const keepBusy = () => {
      if (isBusy) inTurn('', LONG, keepBusy);
    };
    keepBusy();
    begin(0);
    socket.destroy();
    isBusy = false;
    for (let n = 0; n < 3; n++) await nextTurn();
    expect(begun).toEqual([]);
  });

  it('PROTO-33: reads no more of a client with 100 requests, and closes its socket after the last answer', async () => {
    const { socket, begun, begin, answer } = open();
    for (let number = 0; number <= 101; number++) begin(number);
    // As Node does whenever a request has been answered.
    socket.resume();
    expect([socket.destroyed, socket.isPaused]).toEqual([false, true]);
    for (let number = 0; number < 100; number++) {
      expect(socket.destroyed).toBe(false);
      answer(number);
      await nextTurn();
    }
    expect(begun).toHaveLength(100);
    expect(socket.destroyed).toBe(true);
  });

  it('PROTO-33: disconnects a client at once that makes it drop more than 10,000 requests', async () => {
    const { socket, begun, begin, answer } = open();
    for (let number = 0; number <= 10_100; number++) begin(number);
    expect(socket.destroyed).toBe(true);
    // Nothing runs for a client that is gone.
    answer(0);
    await nextTurn();
    expect(begun).toEqual([0]);
  });

  it('PROTO-33: closes a socket without a stack trace of each dropped request', async () => {
    const table = new SocketTable({ isProbe: () => false });
    const stacks: (string | undefined)[] = [];
    let requestCount = 0;
    const server = createServer((request, response) => {
      requestCount += 1;
      request.on('error', ({ stack }) => stacks.push(stack));
      table.begin(request, response, () => undefined);
    });
    server.on('connection', (socket) => table.open(socket, PORT));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(300));
    await expect.poll(() => requestCount).toBe(300);
    table.destroyAll();
    await expect.poll(() => stacks.length).toBe(300);
    expect(stacks.filter((stack) => stack?.includes('    at '))).toEqual([]);
    expect(new Error('later').stack).toContain('    at ');
    client.destroy();
    server.close();
  });
});
