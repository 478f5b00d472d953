import { once } from 'node:events';
import { context, propagation, trace, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { definePlugin, isTraced, REQUEST_CHANNEL, silentLogger, STORAGE_CHANNEL, type Logger } from '@millrace/kernel';
import { opentelemetry } from '@millrace/opentelemetry';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

describe('spans of the plugin opentelemetry', () => {
  const exporter = new InMemorySpanExporter();
  let server: StartedKernel;

  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  });
  afterEach(async () => {
    await server.close();
    exporter.reset();
  });
  afterAll(() => {
    context.disable();
    propagation.disable();
    trace.disable();
  });

  const spans = () =>
    exporter.getFinishedSpans().map((span) => ({
      ...{ name: span.name, kind: span.kind, attributes: span.attributes, status: span.status },
      ...{ traceId: span.spanContext().traceId, id: span.spanContext().spanId },
      parent: span.parentSpanContext?.spanId,
    }));
  const named = (name: string) => {
    const found = spans().find((span) => span.name === name);
    if (found === undefined)
      throw new Error(
        `no span ${name} in ${spans()
          .map((s) => s.name)
          .join()}`,
      );
    return found;
  };

  it('writes the line of a request (log.requests) within its trace', async () => {
    const traceIds: (string | undefined)[] = [];
    const info = (_: object, message: string) => {
      if (message === 'request') traceIds.push(trace.getActiveSpan()?.spanContext().traceId);
    };
    const logger: Logger = { ...silentLogger, info, child: () => logger };
    const config = { http: { port: 0 }, log: { requests: true } };
    server = await startKernel({ plugins: [opentelemetry({ trustParent: true })], config, logger });
    await server.ask('GET', '/_now', undefined, { traceparent: TRACEPARENT });
    await expect.poll(() => traceIds).toEqual([TRACE_ID]);
  });

  it('follows a write over WebSocket into storage and notification, in the trace of the client', async () => {
    server = await startKernel({
      plugins: [websocket({ port: 0 }), opentelemetry({ notifications: true, trustParent: true })],
    });
    await server.ask('PUT', '/city', {});
    await server.ask('PUT', '/city/stations', {});
    const port = (await server.kernel.start()).find(({ protocol }) => protocol === 'websocket')?.port;
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    const ask = (message: { readonly requestId: string }) =>
      new Promise<void>((resolve) => {
        socket.on('message', (data: Buffer) => {
          const { room } = JSON.parse(String(data)) as { readonly room: string };
          if (room === message.requestId) resolve();
        });
        socket.send(JSON.stringify({ index: 'city', collection: 'stations', ...message }));
      });
    const subscribe = { controller: 'realtime', action: 'subscribe', body: {} };
    await ask({ requestId: 'r1', ...subscribe });
    exporter.reset();
    const write = { controller: 'document', action: 'create', _id: 's1', body: { bikes: 3 } };
    const message = { requestId: 'r2', ...write, traceparent: TRACEPARENT };
    await ask(message);
    await expect.poll(() => spans().length).toBeGreaterThanOrEqual(3);
    const request = named('document/create');
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      traceId: TRACE_ID,
      parent: PARENT_ID,
      attributes: {
        'rpc.system.name': 'millrace',
        'rpc.method': 'document/create',
        'rpc.response.status_code': '200',
        'millrace.protocol': 'websocket',
      },
    });
    expect(named('write city/stations')).toMatchObject({
      kind: SpanKind.INTERNAL,
      traceId: TRACE_ID,
      parent: request.id,
      attributes: { 'db.system.name': 'millrace', 'db.collection.name': 'city/stations' },
    });
    expect(named('send city/stations')).toMatchObject({
      kind: SpanKind.PRODUCER,
      traceId: TRACE_ID,
      parent: request.id,
      attributes: { 'messaging.batch.message_count': 1, 'messaging.system': 'millrace' },
    });
    socket.close();
  });

  it('names HTTP requests by their routes, and takes the header traceparent', async () => {
    server = await startKernel({ plugins: [opentelemetry({ trustParent: true })] });
    exporter.reset();
    const headers = { traceparent: TRACEPARENT };
    await server.ask('POST', '/city/stations/_search?size=1&jwt=', {}, headers);
    expect(named('POST /:index/:collection/_search')).toMatchObject({
      kind: SpanKind.SERVER,
      traceId: TRACE_ID,
      parent: PARENT_ID,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/:index/:collection/_search',
        'url.path': '/city/stations/_search',
        'rpc.method': 'document/search',
      },
    });
    expect(JSON.stringify(spans())).not.toContain('size=1');
    await server.ask('GET', '/no/such/path/at/all');
    expect(named('GET').attributes).toMatchObject({
      'http.response.status_code': 404,
      'error.type': 'api.route_not_found',
    });
    expect(named('GET').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('ignores traceparent by default', async () => {
    server = await startKernel({ plugins: [opentelemetry()] });
    exporter.reset();
    await server.ask('GET', '/_now', undefined, { traceparent: TRACEPARENT });
    const { traceId, parent } = named('GET /_now');
    expect([traceId === TRACE_ID, parent]).toEqual([false, undefined]);
  });

  it('names spans by actions of the server, whatever a request is refused for', async () => {
    server = await startKernel({ plugins: [websocket({ port: 0 }), opentelemetry()] });
    const [, address] = await server.kernel.start();
    const socket = new WebSocket(`ws://127.0.0.1:${address?.port}`);
    await once(socket, 'open');
    exporter.reset();
    const invented = { controller: 'invented', action: 'x'.repeat(1_000) };
    for (const refused of [
      { ...invented, requestId: 'a' },
      { ...invented, requestId: 'b', index: 5 },
      { controller: 'server', action: 'now', requestId: 'c', index: 5 },
    ])
      socket.send(JSON.stringify(refused));
    await server.ask('POST', '/_message/invented/action', {});
    // Not those of the storage.
    const ofRequests = () => spans().filter(({ name }) => !name.startsWith('read '));
    await expect.poll(() => ofRequests().length).toBe(4);
    const names = ofRequests().map(({ name, attributes }) => [name, attributes['rpc.method']]);
    expect(names.sort()).toEqual([
      ['POST', undefined],
      ['server/now', 'server/now'],
      ['unknown', '_OTHER'],
      ['unknown', '_OTHER'],
    ]);
    socket.close();
  });

  it('tells requests with the same requestId apart', async () => {
    server = await startKernel({ plugins: [opentelemetry({ notifications: true })] });
    const place = { index: 'city', collection: 'stations' };
    await server.ask('PUT', '/city', {});
    await server.ask('PUT', '/city/stations', {});
    await server.kernel.subscribe({ ...place, body: {} }, () => undefined);
    exporter.reset();
    const create = (_id: string) =>
      server.kernel.execute({
        ...{ ...place, controller: 'document', action: 'create' },
        ...{ requestId: 'same', _id, body: { bikes: 3 } },
      });
    await Promise.all([create('a'), create('b')]);
    const of = (wanted: string) => spans().filter(({ name }) => name === wanted);
    await expect.poll(() => of('send city/stations').length).toBe(2);
    const parents = of('send city/stations').map(({ parent }) => parent);
    expect(parents.sort()).toEqual(
      of('document/create')
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('makes the request the active span of plugins, and marks failures', async () => {
    let seen: string | undefined;
    const failing = definePlugin({
      name: 'failing',
      kernel: '*',
      setup(host) {
        host.pipe({
          when: 'before',
          actions: 'server.now',
          run: () => {
            seen = trace.getActiveSpan()?.spanContext().spanId;
            throw new Error('broken');
          },
        });
      },
    });
    server = await startKernel({ plugins: [opentelemetry(), failing] });
    await server.ask('GET', '/_now');
    const span = named('GET /_now');
    expect(seen).toBe(span.id);
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    expect(span.attributes['http.response.status_code']).toBe(500);
  });

  it('has no spans of work in the background, and none after the stop', async () => {
    server = await startKernel({ plugins: [opentelemetry({ storage: false })] });
    await server.ask('GET', '/city/stations/x');
    expect(spans().every(({ kind }) => kind === SpanKind.SERVER)).toBe(true);
    expect(isTraced(REQUEST_CHANNEL)).toBe(true);
    await server.kernel.stop();
    expect([isTraced(REQUEST_CHANNEL), isTraced(STORAGE_CHANNEL)]).toEqual([false, false]);
  });
});
