/** A position in a string that sticky expressions advance. */
export abstract class TextScanner {
  protected position = 0;

  constructor(protected readonly text: string) {}

  /** The match of a sticky expression at the current position. */
  protected take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.position;
    const found = form.exec(this.text);
    if (found === null) return undefined;
    this.position = form.lastIndex;
    return found;
  }
}
