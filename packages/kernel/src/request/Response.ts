import type { ResponseMessage } from '@millrace/actions';
import type { JsonObject } from '../json/Json.js';
import type { Cookie } from './Cookie.js';
import { shareClass } from '../copies/shareClass.js';

export type { ResponseMessage };

/** Content that an entrypoint sends as it is where its protocol can (HTTP: Prometheus text, XML). */
export class RawContent {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/**
 * A result with status 302 (SEC-63): the client goes on at `location`. `result` holds
 * `headers`, `statusCode` and whatever `extra` adds, on every protocol; HTTP answers a real redirect.
 */
export class Redirect {
  readonly result: JsonObject;

  /** @param cookie set where the protocol has cookies, and no part of the result */
  constructor(
    location: string,
    extra: JsonObject = {},
    readonly cookie?: Cookie,
  ) {
    const headers = { 'Content-Length': '0', Location: location };
    this.result = { headers, statusCode: 302, ...extra };
  }
}

/** What the pipeline answers: the message, and hints for entrypoints beside it. */
export interface Response {
  readonly message: ResponseMessage;
  /** Set when the action answers other content than JSON; protocols without content types send it as `result` text. */
  readonly raw?: RawContent;
  readonly retryAfterSeconds?: number;
  /** To be set where the protocol has cookies; a secret of the client's. */
  readonly cookie?: Cookie;
}

shareClass(RawContent, 'RawContent');

shareClass(Redirect, 'Redirect');
