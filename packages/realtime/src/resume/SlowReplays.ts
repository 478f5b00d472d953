import { SharedPlaces } from '@millrace/kernel';
import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Readings whose documents are in memory because clients read slowly. Each has 64 Mi characters at most. */
const MAX_READINGS = 4;

interface Reading {
  waitingCount: number;
  readonly drop: () => void;
  readonly dropped: Promise<false>;
}

/** Replays that wait until their clients have taken what was sent. They keep few readings in memory. */
@scoped(Scope.ContainerScoped)
export class SlowReplays {
  private readonly readings = new Map<object, Reading>();
  /** By the address of the first client that is slow. */
  private readonly places = new SharedPlaces<object>(MAX_READINGS);

  /**
   * @param address of the client, as `TurnKeys`
   * @returns false if others need the memory of the reading: the client is too slow
   */
  async wait(reading: object, address: string, drained: Promise<void>): Promise<boolean> {
    const kept = this.readings.get(reading) ?? this.keep(reading, address);
    kept.waitingCount++;
    const mayGoOn = await Promise.race([drained.then(() => true), kept.dropped]);
    kept.waitingCount--;
    if (kept.waitingCount === 0 && this.readings.get(reading) === kept) this.forget(reading);
    return mayGoOn;
  }

  private keep(reading: object, address: string): Reading {
    let drop: () => void = () => undefined;
    const dropped = new Promise<false>((resolve) => (drop = () => resolve(false)));
    const kept: Reading = { waitingCount: 0, drop, dropped };
    this.readings.set(reading, kept);
    const lost = this.places.add(reading, address);
    if (lost !== undefined) {
      this.readings.get(lost)?.drop();
      this.forget(lost);
    }
    return kept;
  }

  private forget(reading: object): void {
    this.readings.delete(reading);
    this.places.delete(reading);
  }
}
