import type { ResponseMessage } from '@millrace/actions';
import type { JsonObject } from '../../json/Json.js';
import type { Cookie } from './Cookie.js';
import { shareClass } from '../../copies/shareClass.js';

export type { ResponseMessage };

/** Content that an entrypoint sends unchanged if its protocol can (HTTP: Prometheus text, XML). */
export class RawContent {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** A file of any length, which HTTP sends as it is read: at the pace of the client, and never whole in memory. */
export class FileContent {
  /**
   * @param name that browsers save it under: letters, digits, `.`, `-` and `_`
   * @param open begins to read it, unless the client wants the head alone. An error closes the connection, so that the
   *   client notices that the file is incomplete
   */
  constructor(
    readonly contentType: string,
    readonly name: string,
    readonly open: () => AsyncIterable<Uint8Array>,
  ) {}
}

/**
 * A result with status 302 (SEC-63): the client continues at `location`. `result` contains `headers`, `statusCode` and
 * the members of `extra`, on every protocol; HTTP answers with an actual redirect.
 */
export class Redirect {
  readonly result: JsonObject;

  constructor(location: string, extra: JsonObject = {}) {
    const headers = { 'Content-Length': '0', Location: location };
    this.result = { headers, statusCode: 302, ...extra };
  }
}

/** The response of the pipeline: the message, and hints for entrypoints. */
export interface Response {
  readonly message: ResponseMessage;
  /**
   * Set if the action answers with content other than JSON; protocols without content types send it as a string in
   * `result`.
   */
  readonly raw?: RawContent;
  /** Set if the action answers with a file. */
  readonly file?: FileContent;
  readonly retryAfterSeconds?: number;
  /** To be set if the protocol has cookies; a secret of the client. */
  readonly cookie?: Cookie;
}

shareClass(RawContent, 'RawContent');

shareClass(FileContent, 'FileContent');

shareClass(Redirect, 'Redirect');
