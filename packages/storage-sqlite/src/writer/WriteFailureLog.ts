import type { Logger } from '@millrace/kernel';

const PAUSE_MS = 60_000;

/** Logs that writes fail, such as on a full disk, at most once a minute, and that they succeed again. */
export class WriteFailureLog {
  private loggedAtMs = -Infinity;
  private isLogged = false;

  constructor(
    private readonly logger: Logger,
    private readonly dataDir: string,
    private readonly nowMs = () => performance.now(),
  ) {}

  /** @param failure why the last transaction failed; null: it succeeded */
  add(failure: string | null): void {
    const { dataDir } = this;
    if (failure !== null) {
      if (this.nowMs() - this.loggedAtMs < PAUSE_MS) return;
      this.loggedAtMs = this.nowMs();
      this.isLogged = true;
      this.logger.error({ dataDir, reason: failure }, 'documents are not stored');
    } else if (this.isLogged) {
      this.isLogged = false;
      this.logger.info({ dataDir }, 'documents are stored again');
    }
  }
}
