/** No answer arrived, or none of a Millrace server. Whether the request was executed is unknown. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The request may be sent again; a write only with an idempotency key. */
  readonly isRetryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
