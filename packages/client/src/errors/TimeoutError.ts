/** No answer arrived within `timeoutMs`. Whether the request was executed is unknown. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly isRetryable = true;

  constructor(readonly timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms`);
  }
}
