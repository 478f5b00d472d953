const MIN_INTERVAL_MS = 200;
const WIDTH = 30;

/** Shows progress as one line of a terminal; nothing elsewhere. */
export class ProgressLine {
  private shownAt = -Infinity;
  private readonly isTerminal: boolean;

  constructor(private readonly stream: NodeJS.WritableStream) {
    this.isTerminal = 'isTTY' in stream && stream.isTTY === true;
  }

  /** @param share from 0 to 1; undefined: not known */
  show(text: string, share?: number): void {
    const now = performance.now();
    if (!this.isTerminal || now - this.shownAt < MIN_INTERVAL_MS) return;
    this.shownAt = now;
    const filled = Math.round((share ?? 0) * WIDTH);
    const bar = `[${'='.repeat(filled).padEnd(WIDTH)}] ${Math.floor((share ?? 0) * 100)}% `;
    this.stream.write(`\r\u001b[K${share === undefined ? '' : bar}${text}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.isTerminal) this.stream.write('\r\u001b[K');
  }
}
