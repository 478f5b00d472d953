import { CLOCK, LOGGER, type ChangeLog, type Clock, type Lifecycle, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Subscription } from '../rooms/Membership.js';
import { HeldName } from './HeldName.js';
import { NameStore, type StoredName } from './NameStore.js';
import type { NameLoss, NameReleased, NameTakeover } from './nameTakeover.js';

const FLUSH_EVERY_MS = 1_000;
const PIN_EVERY_MS = 600_000;
/** Milliseconds in which a new holder on another node asks for the last acknowledgement. */
const LOST_AFTER_MS = 1_000;

/** The names that connections of this node hold. Stores their acknowledgements once a second. */
@scoped(Scope.ContainerScoped)
export class HeldNames implements Lifecycle {
  private readonly held = new Map<string, HeldName>();
  private readonly bySubscription = new Map<Subscription, HeldName>();
  /** Names whose last acknowledgements are being stored. */
  private readonly closing = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private onLost: (subscription: Subscription, reason: NameLoss) => void = () => undefined;

  constructor(
    @inject(NameStore) private readonly store: NameStore,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    this.timer = setInterval(() => this.flushAll(), FLUSH_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (const name of [...this.held.values()]) this.close(name);
    await Promise.all(this.closing.values());
  }

  /** Sets the callback for subscriptions that have lost their name: they must end. */
  notify(onLost: (subscription: Subscription, reason: NameLoss) => void): void {
    this.onLost = onLost;
  }

  get(key: string): HeldName | undefined {
    return this.held.get(key);
  }

  of(subscription: Subscription): HeldName | undefined {
    return this.bySubscription.get(subscription);
  }

  /** Gives a name to a subscription; the name that it had is released. */
  add(subscription: Subscription, stored: StoredName, log: ChangeLog): HeldName {
    this.ended(subscription);
    const held = new HeldName(subscription, stored, this.store, log, this.clock);
    this.held.set(held.key, held);
    this.bySubscription.set(subscription, held);
    return held;
  }

  /** A subscription has ended: its name may be resumed. */
  ended(subscription: Subscription): void {
    const held = this.bySubscription.get(subscription);
    if (held !== undefined) this.close(held);
  }

  /**
   * Takes a name from its subscription; resolves once its acknowledgements are stored.
   * @param except this subscription goes on
   */
  async take(key: string, reason: NameLoss, except?: Subscription): Promise<void> {
    const held = this.held.get(key);
    if (held !== undefined) this.lose(held, reason, except);
    await this.closing.get(key);
  }

  /** A subscription on another node has the name now, or it was removed. */
  release({ key, reason, version = Infinity }: NameTakeover): NameReleased {
    const held = this.held.get(key);
    if (held === undefined) return {};
    if (held.version > version) return { isKept: true };
    const { cursor } = held;
    this.lose(held, reason);
    return cursor === null ? {} : { cursor };
  }

  private lose(held: HeldName, reason: NameLoss, except?: Subscription): void {
    this.close(held);
    if (held.subscription !== except) this.onLost(held.subscription, reason);
  }

  /** Stores its last acknowledgement and renews its pin: the changes are kept from now on. */
  private close(held: HeldName): void {
    const { key, subscription } = held;
    this.bySubscription.delete(subscription);
    this.held.delete(key);
    const stored = held.flush(0).then(
      () => undefined,
      (error: unknown) => this.failed(error),
    );
    const done = stored.then(() => {
      if (this.closing.get(key) === done) this.closing.delete(key);
    });
    this.closing.set(key, done);
  }

  private flushAll(): void {
    for (const held of this.held.values()) {
      held.flush(PIN_EVERY_MS).then(
        (isOurs) => {
          if (!isOurs) this.loseLater(held);
        },
        (error: unknown) => this.failed(error),
      );
    }
  }

  private loseLater(held: HeldName): void {
    const lose = () => {
      if (this.held.get(held.key) === held) this.lose(held, 'taken_over');
    };
    setTimeout(lose, LOST_AFTER_MS).unref();
  }

  private failed(error: unknown): void {
    this.log.warn({ err: error }, 'acknowledgements of named subscriptions could not be stored');
  }
}
