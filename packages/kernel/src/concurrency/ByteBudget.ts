/*
 * One pool of bytes for everything that a server holds temporarily for its clients: request bodies, parsed requests,
 * unread answers. The share of an address is a dynamic threshold (Choudhury and Hahne, 1998): it may hold twice the
 * free amount. So a single address gets two thirds of the pool, two get two fifths each, and some is always free for a
 * newcomer, without fixed shares that would remain unused.
 */
import { apiErrors, coreErrors } from '../errors/errors.js';
import type { MillraceError } from '../errors/MillraceError.js';
import { toAddressKey } from './toAddressKey.js';

const SHARE_OF_FREE = 2;

/**
 * The bytes that one holder (a connection, an exchange, a request) takes from the pool. Returned in parts or by
 * `close`.
 */
export class ByteAccount {
  private held = 0;
  /** What the account would have held with the bytes that `take` refused last. */
  private refusedBytes = 0;

  constructor(
    private readonly budget: ByteBudget,
    /** Key of the address that holds them (see `toAddressKey`), or of another holder. */
    readonly addressKey: string,
  ) {}

  /** Bytes currently held. */
  get heldBytes(): number {
    return this.held;
  }

  /** True once the address holds more than its share and should release some. */
  get isOverdrawn(): boolean {
    return !this.fits(0);
  }

  /** True if this many more bytes may be held. */
  fits(bytes: number): boolean {
    return this.budget.fits(this.addressKey, bytes);
  }

  /** @returns false if the pool or the address's share is exhausted; nothing is taken then */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) {
      this.refusedBytes = this.held + bytes;
      return false;
    }
    this.add(bytes);
    return true;
  }

  /**
   * The error after `take` refused: core.overloaded (503) if the bytes fit a server that holds nothing else, else
   * api.request_too_heavy (413) or api.answer_too_heavy (400).
   */
  refusal(what: 'request' | 'answer'): MillraceError {
    const maxBytes = this.budget.maxShareBytes;
    if (this.refusedBytes <= maxBytes) return coreErrors.overloaded({}, { retryAfterSeconds: 1 });
    return what === 'request' ? apiErrors.request_too_heavy({ maxBytes }) : apiErrors.answer_too_heavy({ maxBytes });
  }

  /** Takes bytes without a check, for data that already exists. Check `isOverdrawn` afterwards. */
  add(bytes: number): void {
    this.held += bytes;
    this.budget.change(this.addressKey, bytes);
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.held);
    this.held -= given;
    this.budget.change(this.addressKey, -given);
  }

  /** Sets the number of held bytes, without a check. */
  set(bytes: number): void {
    if (bytes > this.held) this.add(bytes - this.held);
    else this.give(this.held - bytes);
  }

  /** Releases everything. */
  close(): void {
    if (this.held > 0) this.give(this.held);
  }
}

/** The pool of a server (configuration `server.maxBytesInFlight`). Synchronous; one per server. */
export class ByteBudget {
  private total = 0;
  private readonly heldByAddress = new Map<string, number>();

  constructor(readonly maxBytes: number) {}

  /** What one address may hold while the others hold nothing. */
  get maxShareBytes(): number {
    return Math.floor((this.maxBytes * SHARE_OF_FREE) / (SHARE_OF_FREE + 1));
  }

  /** Bytes held by all accounts. */
  get heldBytes(): number {
    return this.total;
  }

  /** @param remoteAddress of the client: accounts of one address (IPv6: of one /64) have a common share */
  open(remoteAddress: string): ByteAccount {
    return new ByteAccount(this, toAddressKey(remoteAddress));
  }

  /** True if the address may hold this many more bytes. */
  fits(addressKey: string, bytes: number): boolean {
    const free = this.maxBytes - this.total - bytes;
    return free >= 0 && (this.heldByAddress.get(addressKey) ?? 0) + bytes <= SHARE_OF_FREE * free;
  }

  /** Called by accounts only. */
  change(addressKey: string, bytes: number): void {
    if (bytes === 0) return;
    this.total += bytes;
    const held = (this.heldByAddress.get(addressKey) ?? 0) + bytes;
    if (held > 0) this.heldByAddress.set(addressKey, held);
    else this.heldByAddress.delete(addressKey);
  }
}
