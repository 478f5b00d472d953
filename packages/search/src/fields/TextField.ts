import { TokenList, type Analyzer } from '@millrace/language';
import { analyzerOf, type CompiledField } from '@millrace/query';
import { growUint8 } from '../columns/grow.js';
import { Postings } from '../columns/Postings.js';
import { TermColumn } from '../columns/TermColumn.js';
import { TermDictionary } from '../columns/TermDictionary.js';
import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { HighestScores } from './HighestScores.js';
import { encodeLength } from './lengthByte.js';
import { TokenStream } from './TokenStream.js';

const tokens = new TokenList();

/** The indexed text of one field: postings per term, and the length of each document's text. */
export class TextField {
  readonly kind = 'text';
  readonly dictionary = new TermDictionary();
  readonly postings: Postings;
  /** By slot: the length as encoded by `encodeLength`; 0 for no tokens. */
  lengths: Uint8Array = new Uint8Array(0);
  /** Slots from here on have no text. */
  length = 0;
  /**
   * Documents with at least one token and their tokens, including dead documents: the statistics that scores are
   * computed from.
   */
  documentCount = 0;
  tokenCount = 0;
  /** Slots that have the field, but without tokens. */
  readonly withoutTokens = new Set<number>();
  readonly highestScores = new HighestScores();
  /** The terms by document, stored if the field has `fielddata`. */
  readonly column: TermColumn | undefined;
  /** The tokens in order; undefined if the field has no positions. */
  readonly stream: TokenStream | undefined;

  /** Whether several tokens can share a position. */
  readonly stacks: boolean;

  private readonly analyze: Analyzer['analyze'];
  private openSlot = -1;
  private openLength = 0;
  private hasValue = false;

  constructor(readonly field: CompiledField) {
    const { analyze, stacks } = analyzerOf(field, field.analyzer);
    this.analyze = analyze;
    this.stacks = stacks;
    this.postings = new Postings(field.hasFrequencies);
    this.column = field.hasDocValues ? new TermColumn() : undefined;
    this.stream = field.hasPositions ? new TokenStream() : undefined;
  }

  /** Slots must not decrease between calls. */
  add(slot: number, text: string): void {
    if (slot !== this.openSlot) {
      this.closeDocument();
      this.openSlot = slot;
      this.openLength = 0;
      this.hasValue = false;
      this.stream?.begin(slot);
    }
    tokens.clear();
    const end = this.analyze(text, tokens, 0);
    const { stream } = this;
    const { hasFrequencies } = this.field;
    if (this.hasValue) stream?.skip(this.field.positionIncrementGap);
    this.hasValue = true;
    const { terms, positions } = tokens;
    let position = 0;
    for (let i = 0; i < terms.length; i += 1) {
      const term = terms[i] as string;
      const code = this.dictionary.codeFor(term);
      const isFirst = this.postings.addOccurrence(code, slot);
      // Without frequencies the length is the number of distinct terms.
      if (isFirst || hasFrequencies) this.openLength += 1;
      this.column?.add(slot, term);
      if (stream === undefined) continue;
      const place = positions[i] as number;
      if (place < position) {
        stream.stack(code);
        continue;
      }
      if (place > position) stream.skip(place - position);
      stream.add(code);
      position = place + 1;
    }
    stream?.skip(end - position);
  }

  /** Must be called before reads. */
  seal(): void {
    this.closeDocument();
    this.column?.seal();
    this.postings.packWhenLarge();
  }

  has(slot: number): boolean {
    return (
      (slot < this.length && this.lengths[slot] !== 0) || (this.withoutTokens.size > 0 && this.withoutTokens.has(slot))
    );
  }

  store(output: IndexOutput): void {
    const { length, documentCount, tokenCount } = this;
    output.json({ length, documentCount, tokenCount });
    output.array(this.lengths, length);
    output.array(Int32Array.from(this.withoutTokens), this.withoutTokens.size);
    this.dictionary.store(output);
    this.postings.store(output);
    this.column?.store(output);
    this.stream?.store(output);
  }

  restore(input: IndexInput): void {
    const head = input.numbers('length', 'documentCount', 'tokenCount');
    this.length = head.length;
    this.documentCount = head.documentCount;
    this.tokenCount = head.tokenCount;
    this.lengths = input.uint8();
    for (const slot of input.int32()) this.withoutTokens.add(slot);
    this.dictionary.restore(input);
    this.postings.restore(input);
    this.column?.restore(input);
    this.stream?.restore(input);
  }

  get byteLength(): number {
    const streamed = this.stream?.byteLength ?? 0;
    return this.lengths.byteLength + this.postings.byteLength + this.dictionary.byteLength + streamed;
  }

  private closeDocument(): void {
    const slot = this.openSlot;
    if (slot === -1) return;
    this.openSlot = -1;
    // Scores depend on all documents.
    this.highestScores.clear();
    if (this.openLength === 0) {
      this.withoutTokens.add(slot);
      return;
    }
    this.lengths = growUint8(this.lengths, slot + 1);
    this.lengths[slot] = encodeLength(this.openLength);
    this.length = slot + 1;
    this.documentCount += 1;
    this.tokenCount += this.openLength;
  }
}
