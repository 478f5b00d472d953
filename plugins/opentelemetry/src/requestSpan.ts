import { SpanKind, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import type { Request, RequestTrace, Response } from '@millrace/kernel';

/** The beginning of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
const SERVER_ERROR = 500;

/** By the conventions for HTTP servers; for other protocols by those for remote procedure calls. */
export function requestSpan({ request, isKnown }: RequestTrace): SpanStart {
  const { connection, controller, action } = request;
  const { http, protocol, remoteAddress } = connection;
  const kind = protocol === 'program' ? SpanKind.INTERNAL : SpanKind.SERVER;
  const client = remoteAddress === '' ? undefined : { 'client.address': remoteAddress };
  // The names that a client invents would be without number.
  const rpcMethod = isKnown ? `${controller}/${action}` : '_OTHER';
  if (http === undefined) {
    const attributes = {
      'rpc.system.name': 'millrace',
      'rpc.method': rpcMethod,
      ...client,
      'millrace.protocol': protocol,
    };
    return { name: isKnown ? rpcMethod : 'unknown', kind, attributes };
  }
  const method = METHODS.has(http.method) ? http.method : '_OTHER';
  const { route } = http;
  const attributes = {
    ...client,
    'http.request.method': method,
    'url.path': http.path,
    ...(route === undefined ? undefined : { 'http.route': route, 'rpc.method': rpcMethod }),
  };
  const shown = method === '_OTHER' ? 'HTTP' : method;
  return { name: route === undefined ? shown : `${shown} ${route}`, kind, attributes };
}

/** Adds what is known with the response. */
export function describeResponse(span: Span, request: Request, { message }: Response): void {
  const { status, error } = message;
  const isHttp = request.connection.http !== undefined;
  if (isHttp) span.setAttribute('http.response.status_code', status);
  else span.setAttribute('rpc.response.status_code', String(status));
  if (error === null) return;
  span.setAttribute('error.type', error.id);
  if (status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
}
