import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import {
  LOG_CHANNEL,
  NOTIFY_CHANNEL,
  REQUEST_CHANNEL,
  STORAGE_CHANNEL,
  type LogTrace,
  type NotifyTrace,
  type Request,
  type RequestTrace,
  type StorageTrace,
} from '@millrace/kernel';
import type { OpentelemetryConfig } from './config.js';
import { describeResponse, requestSpan, type SpanStart } from './requestSpan.js';

interface BindableChannel<E> {
  bindStore(store: AsyncLocalStorage<Context>, begin: (event: E) => Context): void;
  unbindStore(store: AsyncLocalStorage<Context>): void;
}

/**
 * Spans of the events that the kernel publishes. Each event begins its span when the channel enters the context of its
 * work, and ends it with that work.
 */
export class Traces {
  private readonly tracer = trace.getTracer('@millrace/opentelemetry');
  private readonly spans = new WeakMap<object, Span>();
  /** By request: changes are notified in the order of commits, not in the context of a request. */
  private readonly contexts = new WeakMap<object, Context>();
  private readonly store: AsyncLocalStorage<Context>;
  private readonly undo: (() => void)[] = [];

  constructor(private readonly config: OpentelemetryConfig) {
    this.store = findContextStore();
  }

  /** Subscribes to the channels. */
  start(): void {
    this.traceRequests();
    if (this.config.storage) this.traceStorage();
    if (this.config.notifications) this.traceNotifications();
    const addIds = (line: unknown) => this.addIds(line as LogTrace);
    LOG_CHANNEL.subscribe(addIds);
    this.undo.push(() => LOG_CHANNEL.unsubscribe(addIds));
  }

  stop(): void {
    for (const each of this.undo.splice(0)) each();
  }

  private traceRequests(): void {
    const { start, asyncEnd } = REQUEST_CHANNEL;
    const begin = (event: RequestTrace): Context => {
      const context = this.begin(event, requestSpan(event), this.parentOf(event.request));
      this.contexts.set(event.request, context);
      return context;
    };
    const end = (message: unknown) => {
      const event = message as RequestTrace;
      this.end(event, (span) => {
        if (event.result !== undefined) describeResponse(span, event.request, event.result);
      });
    };
    this.bind(start, begin);
    asyncEnd.subscribe(end);
    this.undo.push(() => asyncEnd.unsubscribe(end));
  }

  /** A client that is trusted may continue its own trace, and so decide whether it is sampled. */
  private parentOf({ traceparent }: Request): Context {
    const active = this.current ?? ROOT_CONTEXT;
    if (!this.config.trustParent || traceparent === undefined) return active;
    return propagation.extract(active, { traceparent });
  }

  private traceStorage(): void {
    const { start, end, asyncEnd } = STORAGE_CHANNEL;
    const begin = (event: StorageTrace): Context => {
      const parent = this.current;
      // Work in the background has no trace.
      if (parent === undefined || trace.getSpan(parent) === undefined) return parent ?? ROOT_CONTEXT;
      return this.begin(event, storageSpan(event), parent);
    };
    const finish = (message: unknown) =>
      this.end(message as StorageTrace, (span) => {
        const { error } = message as StorageTrace;
        if (error === undefined) return;
        span.setAttribute('error.type', (error as { readonly id?: string }).id ?? '_OTHER');
        span.setStatus({ code: SpanStatusCode.ERROR });
      });
    this.bind(start, begin);
    end.subscribe(finish);
    asyncEnd.subscribe(finish);
    this.undo.push(() => {
      end.unsubscribe(finish);
      asyncEnd.unsubscribe(finish);
    });
  }

  private traceNotifications(): void {
    const { start, end } = NOTIFY_CHANNEL;
    const begin = (message: unknown) => {
      const event = message as NotifyTrace;
      const parent = this.contexts.get(event.origin);
      if (parent !== undefined) this.begin(event, notifySpan(event), parent);
    };
    const finish = (message: unknown) => {
      const event = message as NotifyTrace;
      this.end(event, (span) => span.setAttribute('messaging.batch.message_count', event.receiverCount));
    };
    start.subscribe(begin);
    end.subscribe(finish);
    this.undo.push(() => {
      start.unsubscribe(begin);
      end.unsubscribe(finish);
    });
  }

  private addIds({ fields }: LogTrace): void {
    const { current } = this;
    const span = current === undefined ? undefined : trace.getSpanContext(current);
    if (span === undefined) return;
    fields['trace_id'] = span.traceId;
    fields['span_id'] = span.spanId;
  }

  /** @param begin returns the context in which the work of an event runs */
  private bind<E>(channel: object, begin: (event: E) => Context): void {
    // The types of Node.js demand a store of the events themselves.
    const { store } = this;
    const bound = channel as BindableChannel<E>;
    bound.bindStore(store, begin);
    this.undo.push(() => bound.unbindStore(store));
  }

  private get current(): Context | undefined {
    return this.store.getStore();
  }

  private begin(event: object, { name, kind, attributes }: SpanStart, parent: Context): Context {
    const span = this.tracer.startSpan(name, { kind, attributes }, parent);
    this.spans.set(event, span);
    return trace.setSpan(parent, span);
  }

  private end(event: object, describe: (span: Span) => void): void {
    const span = this.spans.get(event);
    if (span === undefined) return;
    this.spans.delete(event);
    describe(span);
    span.end();
  }
}

function storageSpan({ operation, target, batchSize }: StorageTrace): SpanStart {
  const collection = target === null ? undefined : `${target.index}/${target.collection}`;
  return {
    name: collection === undefined ? operation : `${operation} ${collection}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      'db.system.name': 'millrace',
      'db.operation.name': operation,
      ...(collection === undefined ? undefined : { 'db.collection.name': collection }),
      ...(batchSize === undefined || batchSize < 2 ? undefined : { 'db.operation.batch.size': batchSize }),
    },
  };
}

function notifySpan({ index, collection }: NotifyTrace): SpanStart {
  const destination = `${index}/${collection}`;
  return {
    name: `send ${destination}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      'messaging.system': 'millrace',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': destination,
    },
  };
}

/**
 * The store in which the SDK keeps the active context, so that spans of other libraries become children of ours. The API
 * has no way to bind a channel to it, so a private member of the usual context manager is read; with another one, our
 * spans form traces without those of other libraries.
 */
function findContextStore(): AsyncLocalStorage<Context> {
  const { _getContextManager: find } = context as unknown as {
    _getContextManager?: () => { readonly _asyncLocalStorage?: unknown };
  };
  const store = find?.call(context)._asyncLocalStorage;
  if (store instanceof AsyncLocalStorage) return store as AsyncLocalStorage<Context>;
  return new AsyncLocalStorage<Context>();
}
