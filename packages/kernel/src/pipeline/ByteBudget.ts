/*
 * One pool of bytes for everything that clients make a server hold for a while: request bodies, parsed requests, answers
 * that wait to be read. The share of an address is a dynamic threshold (Choudhury and Hahne, 1998): it may hold twice what
 * is free. So a single address gets two thirds of the pool, two get two fifths each, and some is always left for one
 * that comes later, without a fixed share that would lie unused.
 */
import { toAddressKey } from '../protocols/toAddressKey.js';

const SHARE_OF_FREE = 2;

/** What one holder (a connection, an exchange, a request) takes from the pool. Given back in parts or by `close`. */
export class ByteAccount {
  private held = 0;

  constructor(
    private readonly budget: ByteBudget,
    private readonly addressKey: string,
  ) {}

  /** Bytes held at present. */
  get heldBytes(): number {
    return this.held;
  }

  /** True once the address holds more than its share: time to give something back. */
  get isOverdrawn(): boolean {
    return !this.fits(0);
  }

  /** True where so much more may be held. */
  fits(bytes: number): boolean {
    return this.budget.fits(this.addressKey, bytes);
  }

  /** @returns false where the pool or the address's share is used up; nothing is taken then */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.add(bytes);
    return true;
  }

  /** Takes without asking: for what is there already. Look at `isOverdrawn` afterwards. */
  add(bytes: number): void {
    this.held += bytes;
    this.budget.change(this.addressKey, bytes);
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.held);
    this.held -= given;
    this.budget.change(this.addressKey, -given);
  }

  /** Holds exactly that many from now on, without asking. */
  set(bytes: number): void {
    if (bytes > this.held) this.add(bytes - this.held);
    else this.give(this.held - bytes);
  }

  /** Gives back all that is held. */
  close(): void {
    if (this.held > 0) this.give(this.held);
  }
}

/** The pool of a server (configuration `server.maxBytesInFlight`). Synchronous; one per server. */
export class ByteBudget {
  private total = 0;
  private readonly heldByAddress = new Map<string, number>();

  constructor(readonly maxBytes: number) {}

  /** Bytes held by all accounts. */
  get heldBytes(): number {
    return this.total;
  }

  /** @param remoteAddress of the client: accounts of one address (IPv6: of one /64) share what it may hold */
  open(remoteAddress: string): ByteAccount {
    return new ByteAccount(this, toAddressKey(remoteAddress));
  }

  /** True where the address may hold that much more. */
  fits(addressKey: string, bytes: number): boolean {
    const free = this.maxBytes - this.total - bytes;
    return free >= 0 && (this.heldByAddress.get(addressKey) ?? 0) + bytes <= SHARE_OF_FREE * free;
  }

  /** For accounts. */
  change(addressKey: string, bytes: number): void {
    if (bytes === 0) return;
    this.total += bytes;
    const held = (this.heldByAddress.get(addressKey) ?? 0) + bytes;
    if (held > 0) this.heldByAddress.set(addressKey, held);
    else this.heldByAddress.delete(addressKey);
  }
}
