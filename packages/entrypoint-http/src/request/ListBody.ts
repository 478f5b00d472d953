import {
  apiErrors,
  JsonLinesReader,
  JsonListReader,
  type ByteAccount,
  type JsonListProblem,
  type JsonObject,
  type MillraceError,
} from '@millrace/kernel';
import { faultOfJson, toBody } from './parseBody.js';
import type { BodySink } from './readBody.js';

/** Limits of a large body. */
export interface ListBodyLimits {
  /** Name of the long list, for error messages. */
  readonly list: string;
  readonly maxItems: number;
  /** Bytes of one list item, and of everything outside the lists together. */
  readonly maxItemBytes: number;
  /** One item per line (`application/x-ndjson`); else a JSON object with lists. */
  readonly isLines: boolean;
}

/**
 * A large body, either a JSON object with long lists or the items of one list on separate lines: parsed as it arrives;
 * its memory is counted for the sender's address.
 */
export class ListBody implements BodySink {
  private readonly reader: JsonListReader | JsonLinesReader;

  constructor(
    private readonly limits: ListBodyLimits,
    private readonly account: ByteAccount,
  ) {
    const { maxItems, maxItemBytes, list } = limits;
    const readerLimits = { maxItems, maxItemBytes, take: (bytes: number) => account.take(bytes) };
    this.reader = limits.isLines ? new JsonLinesReader(list, readerLimits) : new JsonListReader(readerLimits);
  }

  /** @returns the problem with the body so far (400, 413), or core.overloaded (503) */
  take(chunk: Buffer): MillraceError | undefined {
    const problem = this.reader.push(chunk);
    return problem === undefined ? undefined : this.toFault(problem);
  }

  /** The body, or its problem; to be called after its last chunk. */
  end(): JsonObject | null | MillraceError {
    const outcome = this.reader.end();
    if (typeof outcome === 'object' && 'value' in outcome) return toBody(outcome.value);
    return this.toFault(outcome);
  }

  /** Approximate memory used by its values. */
  get heldBytes(): number {
    return this.account.heldBytes;
  }

  /** Stops counting its bytes. */
  release(): void {
    this.account.close();
  }

  private toFault(problem: JsonListProblem): MillraceError {
    const { list, maxItems, maxItemBytes } = this.limits;
    switch (problem) {
      case 'tooManyItems':
        return apiErrors.too_many_items({ list, maxItems });
      case 'itemTooLarge':
        return apiErrors.item_too_large({
          list,
          maxBytes: maxItemBytes,
          ...(this.reader.place === '' ? undefined : { place: this.reader.place }),
        });
      case 'noMemory':
        return this.account.refusal('request');
      default:
        return faultOfJson(problem);
    }
  }
}
