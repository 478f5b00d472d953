import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import * as runner from 'node:test';
import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import { describeProtocol, type ProtocolClient } from '@millrace/testing';
import { lines } from './index.js';

type Received = ResponseMessage & { readonly room?: string };

/** A client, as the contract suite wants it. */
async function connectLines(url: string): Promise<ProtocolClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  const waiting = new Map<string, (message: ResponseMessage) => void>();
  const channels = new Map<string, JsonObject[]>();
  createInterface(socket).on('line', (line) => {
    const message = JSON.parse(line) as Received;
    if (message.room === undefined) waiting.get(message.requestId)?.(message);
    else channels.get(message.room)?.push({ ...message } as unknown as JsonObject);
  });
  let requestNumber = 0;
  return {
    closed,
    close: () => void socket.destroy(),
    sendNonsense: (bytes) => void socket.write(Buffer.concat([bytes, Buffer.from('\n')])),
    receive: async (channel) => {
      const received: JsonObject[] = [];
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
