/** One HTTP request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  /** Path and query string. */
  readonly url: string;
  /** Text; empty where none was sent. */
  readonly requestBody: string;
  readonly requestType: string;
  readonly status: number;
  readonly responseType: string;
  /** By names in lower case. */
  readonly responseHeaders: Readonly<Record<string, unknown>>;
  readonly responseBody: string;
}
