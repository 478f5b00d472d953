import type { Cursor } from '@millrace/kernel';

interface Waiting {
  readonly cursor: string;
  readonly answer: () => void;
}

/**
 * Answers writes in the order of the change log, so that subscribers receive them in that order. A write that was held
 * back has come a longer way than one after it, and both may be recorded at once: answers wait until no more of the same
 * moment can come.
 */
export class AnswersInOrder {
  private waiting: Waiting[] = [];

  /**
   * @param work the write; rejects at once if it fails
   * @param cursorOf the position of its first change; undefined if it recorded none
   */
  async after<T>(work: Promise<T>, cursorOf: (result: T) => Cursor | undefined): Promise<T> {
    const result = await work;
    await new Promise<void>((answer) => {
      if (this.waiting.length === 0) setImmediate(() => this.answerAll());
      this.waiting.push({ cursor: cursorOf(result) ?? '', answer });
    });
    return result;
  }

  private answerAll(): void {
    const all = this.waiting;
    this.waiting = [];
    all.sort((a, b) => (a.cursor < b.cursor ? -1 : Number(a.cursor > b.cursor)));
    for (const { answer } of all) answer();
  }
}
