import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import * as runner from 'node:test';
import { describeProtocol } from '@millrace/testing';
import { lines } from './index.js';

/** A client, as the contract suite wants it. */
async function connectLines(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  const waiting = new Map();
  const channels = new Map();
  createInterface(socket).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.room === undefined) waiting.get(message.requestId)?.(message);
    else channels.get(message.room)?.push({ ...message });
  });
  let requestNumber = 0;
  return {
    closed,
    close: () => void socket.destroy(),
    sendNonsense: (bytes) => void socket.write(Buffer.concat([bytes, Buffer.from('\n')])),
    receive: async (channel) => {
      const received = [];
      channels.set(channel, received);
      return received;
    },
    request: (fields) =>
      new Promise((resolve) => {
        const requestId = String(fields['requestId'] ?? `r${requestNumber++}`);
        waiting.set(requestId, resolve);
        socket.write(`${JSON.stringify({ ...fields, requestId })}\n`);
      }),
  };
}

// What every protocol owes: envelopes, faults, notifications in order, statistics, a clean stop.
describeProtocol({ name: 'lines', plugin: lines, connect: connectLines }, runner);
