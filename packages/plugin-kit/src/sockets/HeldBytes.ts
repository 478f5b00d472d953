import type { ByteAccount, ByteBudget } from '@millrace/kernel';

/** Fewer bytes aren't counted; the number of connections bounds them. */
const UNCOUNTED_BYTES = 4_096;

/** Bytes of one kind that a connection holds, such as those of an incomplete message. */
export class HeldBytes {
  private account: ByteAccount | undefined;

  /** @param remoteAddress of the client */
  constructor(
    private readonly budget: Pick<ByteBudget, 'open'>,
    private readonly remoteAddress: string,
  ) {}

  set(bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES && !this.isCounted) return;
    this.account ??= this.budget.open(this.remoteAddress);
    this.account.set(bytes);
  }

  /** True once the client's address holds more than its share of the server's memory. */
  get isTooMuch(): boolean {
    return this.isCounted && this.account?.isOverdrawn === true;
  }

  release(): void {
    this.account?.close();
  }

  private get isCounted(): boolean {
    return this.account !== undefined && this.account.heldBytes > 0;
  }
}
