import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Readings whose documents are in memory because clients read slowly. Each has 64 Mi characters at most. */
const MAX_READINGS = 4;

interface Reading {
  /** Of the first client that is slow. */
  readonly address: string;
  waitingCount: number;
  readonly drop: () => void;
  readonly dropped: Promise<false>;
}

/** Replays that wait until their clients have taken what was sent. They keep few readings in memory. */
@scoped(Scope.ContainerScoped)
export class SlowReplays {
  /** The oldest first. */
  private readonly readings = new Map<object, Reading>();

  /**
   * @param address of the client, as `TurnKeys`
   * @returns false if others need the memory of the reading: the client is too slow
   */
  async wait(reading: object, address: string, drained: Promise<void>): Promise<boolean> {
    const kept = this.readings.get(reading) ?? this.keep(reading, address);
    kept.waitingCount++;
    const mayGoOn = await Promise.race([drained.then(() => true), kept.dropped]);
    kept.waitingCount--;
    if (kept.waitingCount === 0 && this.readings.get(reading) === kept) this.readings.delete(reading);
    return mayGoOn;
  }

  private keep(reading: object, address: string): Reading {
    let drop: () => void = () => undefined;
    const dropped = new Promise<false>((resolve) => (drop = () => resolve(false)));
    const kept: Reading = { address, waitingCount: 0, drop, dropped };
    this.readings.set(reading, kept);
    if (this.readings.size > MAX_READINGS) this.dropOne();
    return kept;
  }

  /** The oldest one of the address that has most. */
  private dropOne(): void {
    const counts = new Map<string, number>();
    for (const { address } of this.readings.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [reading, { address, drop }] of this.readings) {
      if (counts.get(address) !== most) continue;
      this.readings.delete(reading);
      drop();
      return;
    }
  }
}
