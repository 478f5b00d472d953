import { defineErrors } from './defineErrors.js';

interface UnsupportedType {
  readonly contentType: string;
  /** Default: application/json alone. */
  readonly expected?: string;
}

/** Errors about the form of requests, the same for every protocol. */
export const apiErrors = defineErrors('api', {
  invalid_request: {
    status: 400,
    message: (p: { problem: string }) => `Invalid request: ${p.problem}`,
  },
  malformed_json: {
    status: 400,
    message: (p: { problem: string }) => `Not valid JSON: ${p.problem}`,
  },
  missing_argument: {
    status: 400,
    message: (p: { name: string; expected: string }) => `Argument "${p.name}" is missing: expected ${p.expected}`,
  },
  invalid_argument: {
    status: 400,
    message: (p: { name: string; value: string; expected: string }) =>
      `Argument "${p.name}" is invalid: expected ${p.expected}, got ${p.value}`,
  },
  route_not_found: {
    status: 404,
    message: (p: { method: string; path: string; hint: string }) => `No route ${p.method} ${p.path}${p.hint}`,
  },
  method_not_allowed: {
    status: 405,
    message: (p: { method: string; path: string; allowed: string; hint: string }) =>
      `${p.method} is not allowed for ${p.path}: expected ${p.allowed}${p.hint}`,
  },
  controller_not_found: {
    status: 404,
    message: (p: { controller: string; known: string; hint: string }) =>
      `No controller ${JSON.stringify(p.controller)}: expected one of ${p.known}${p.hint}`,
  },
  action_not_found: {
    status: 404,
    message: (p: { controller: string; action: string; hint: string }) =>
      `Controller "${p.controller}" has no action ${JSON.stringify(p.action)}${p.hint}`,
  },
  body_too_large: {
    status: 413,
    message: (p: { maxBytes: number }) => `The request is larger than ${p.maxBytes} bytes`,
  },
  request_too_heavy: {
    status: 413,
    message: (p: { maxBytes: number }) =>
      `The request takes more than ${p.maxBytes} bytes of memory, the most that one client may use (two thirds of server.maxBytesInFlight): send it in several requests, such as NDJSON of fewer lines each`,
  },
  answer_too_heavy: {
    status: 400,
    message: (p: { maxBytes: number }) =>
      `The answer has more than ${p.maxBytes} bytes, the most that one client may use (two thirds of server.maxBytesInFlight): ask for less at a time`,
  },
  too_many_items: {
    status: 413,
    message: (p: { list: string; maxItems: number }) =>
      `"${p.list}" has more than ${p.maxItems} items: send them in several requests`,
  },
  item_too_large: {
    status: 413,
    message: (p: { list: string; maxBytes: number; place?: string }) =>
      `${p.place === undefined ? `An item of "${p.list}", or the rest of the body,` : `Of "${p.list}", ${p.place}`} is larger than ${p.maxBytes} bytes (http.maxBodySize)`,
  },
  too_many_requests: {
    status: 429,
    message: (p: { scope: string; perSecond: number; burst: number }) =>
      `Too many requests of this ${p.scope}: it may send ${p.perSecond} per second, and ${p.burst} at once. Try again later`,
  },
  unsupported_media_type: {
    status: 415,
    message: ({ contentType, expected = 'application/json' }: UnsupportedType) =>
      contentType === ''
        ? `The body has no content type: expected the header Content-Type: ${expected}`
        : `Content type ${JSON.stringify(contentType)} is not supported: expected ${expected}`,
  },
});

/** Errors of requests with an idempotency key. */
export const idempotencyErrors = defineErrors('idempotency', {
  in_progress: {
    status: 409,
    message: () => 'A request with this idempotency key is running: repeat the request later',
  },
  answer_not_kept: {
    status: 409,
    message: () =>
      'A request with this idempotency key has been executed; its answer was too large to be kept, or is sent only once',
  },
  rights_changed: {
    status: 403,
    message: () =>
      'A request with this idempotency key has been executed; the rights of its user to the documents have changed since',
  },
  key_reused: {
    status: 422,
    message: () => 'Another request has been sent with this idempotency key: use a new key for each new request',
  },
  too_many_keys: {
    status: 429,
    message: () =>
      'The caller has used up its share of kept answers (idempotency.maxBytes): try again later, or send the request without an idempotency key',
  },
});

/** Errors of the kernel itself. */
export const coreErrors = defineErrors('core', {
  internal: {
    status: 500,
    message: () => 'Internal error: the server has logged it under this request id',
  },
  overloaded: {
    status: 503,
    message: () =>
      'The server is overloaded: too many requests, or too many bytes, are running and waiting. Try again later',
  },
  client_gone: {
    status: 499,
    message: () => 'The client closed its connection before the request had its turn',
  },
  unhealthy: {
    status: 503,
    message: (p: { services: string }) => `Not healthy: ${p.services}`,
  },
  stopping: {
    status: 503,
    message: () => 'The server is stopping, or has not started yet',
  },
  plugin_failed: {
    status: 500,
    message: (p: { plugin: string }) => `Plugin "${p.plugin}" failed on this request`,
  },
  plugin_timeout: {
    status: 504,
    message: (p: { plugin: string; limitMs: number }) => `Plugin "${p.plugin}" did not answer within ${p.limitMs} ms`,
  },
  plugin_refused: {
    status: 500,
    message: (p: { plugin: string; reason: string }) => `Plugin "${p.plugin}" is refused: ${p.reason}`,
  },
  library_unavailable: {
    status: 500,
    message: (p: { library: string }) =>
      `The package ${p.library} can't be loaded: install the server again (npm install); millrace doctor shows the reason`,
  },
  store_too_large: {
    status: 413,
    message: (p: { maxBytes: number }) => `A document of a plugin's store has at most ${p.maxBytes} bytes of JSON`,
  },
  start_failed: {
    status: 500,
    message: (p: { component: string; reason: string }) => `${p.component} failed to start: ${p.reason}`,
  },
  open_on_network: {
    status: 500,
    message: (p: { key: string; host: string }) =>
      `The server has no administrator and is open to everyone, so it may not listen on ${JSON.stringify(p.host)} (configuration ${p.key}): start it on 127.0.0.1 and create the first administrator (or set security.openUntilFirstAdmin to false), or set security.allowOpenOnNetwork to true`,
  },
  invalid_config: { status: 500, message: (p: { problem: string }) => p.problem },
  move_refused: { status: 412, message: (p: { reason: string }) => p.reason },
  move_running: {
    status: 409,
    message: (p: { to: string }) => `The data is being moved to ${p.to}: one move runs at a time`,
  },
  move_not_cancelled: { status: 409, message: (p: { reason: string }) => `No move can be cancelled: ${p.reason}` },
  log_not_kept: {
    status: 412,
    message: () => 'The log is written by the program that embeds this server: read it there',
  },
  backup_refused: { status: 412, message: (p: { reason: string }) => p.reason },
  backup_running: {
    status: 409,
    message: (p: { name: string }) => `Backup "${p.name}" is being made: one is made at a time`,
  },
  backup_not_found: {
    status: 404,
    message: (p: { name: string }) => `There is no backup "${p.name}"`,
  },
});
