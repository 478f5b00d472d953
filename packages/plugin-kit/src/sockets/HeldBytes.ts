import type { ByteAccount } from '@millrace/kernel';

/** Fewer bytes aren't counted; the number of connections bounds them. */
const UNCOUNTED_BYTES = 4_096;

/** Bytes of one kind that a connection holds, such as those of an incomplete message. */
export class HeldBytes {
  constructor(private readonly account: ByteAccount) {}

  set(bytes: number): void {
    if (bytes > UNCOUNTED_BYTES || this.account.heldBytes > 0) this.account.set(bytes);
  }

  /** True once the client's address holds more than its share of the server's memory. */
  get isTooMuch(): boolean {
    return this.account.heldBytes > 0 && this.account.isOverdrawn;
  }

  release(): void {
    this.account.close();
  }
}
