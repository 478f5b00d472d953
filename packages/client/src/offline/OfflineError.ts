/** The outbox refuses something. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';

  constructor(
    /** `offline.full`: no room for another write. `offline.not_empty`: a logout would leave unsent writes behind. */
    readonly id: 'offline.full' | 'offline.not_empty',
    message: string,
  ) {
    super(message);
  }
}
