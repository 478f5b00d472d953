import { TokenList } from '@millrace/language';

/** Tokens with their offsets in the text. */
export class PlacedTokenList extends TokenList {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  override add(term: string, position: number, start: number, end: number): void {
    super.add(term, position, start, end);
    this.starts.push(start);
    this.ends.push(end);
  }
}
