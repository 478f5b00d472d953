const MIN_INTERVAL_MS = 200;
const WIDTH = 30;

/** Shows progress as one line of a terminal; nothing elsewhere. */
export class ProgressLine {
  private shownAt = -Infinity;
  readonly isTerminal: boolean;

  constructor(private readonly stream: NodeJS.WritableStream) {
    this.isTerminal = 'isTTY' in stream && stream.isTTY === true;
  }

  /** @param share from 0 to 1; undefined: not known */
  show(text: string, share?: number): void {
    const now = performance.now();
    if (!this.isTerminal || now - this.shownAt < MIN_INTERVAL_MS) return;
    this.shownAt = now;
    this.stream.write(`\r\u001b[K${toBar(share)}${text}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.isTerminal) this.stream.write('\r\u001b[K');
  }
}

function toBar(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return '';
  const part = Math.min(share, 1);
  return `[${'='.repeat(Math.round(part * WIDTH)).padEnd(WIDTH)}] ${Math.floor(part * 100)}% `;
}
