import { Lifecycle as Scope, scoped } from 'tsyringe';

/** Readings whose documents are in memory because clients read slowly. Each has 32 Mi characters of JSON at most. */
const MAX_READINGS = 4;

interface Reading {
  waitingCount: number;
  readonly drop: () => void;
  readonly dropped: Promise<false>;
}

/** Replays that wait until their clients have taken what was sent. They keep few readings in memory. */
@scoped(Scope.ContainerScoped)
export class SlowReplays {
  /** The oldest first. */
  private readonly readings = new Map<object, Reading>();

  /** @returns false if others need the memory of the reading: the client is too slow */
  async wait(reading: object, drained: Promise<void>): Promise<boolean> {
    const kept = this.readings.get(reading) ?? this.keep(reading);
    kept.waitingCount++;
    const mayGoOn = await Promise.race([drained.then(() => true), kept.dropped]);
    kept.waitingCount--;
    if (kept.waitingCount === 0 && this.readings.get(reading) === kept)
      this.readings.delete(reading);
    return mayGoOn;
  }

  private keep(reading: object): Reading {
    let drop: () => void = () => undefined;
    const dropped = new Promise<false>((resolve) => (drop = () => resolve(false)));
    const kept: Reading = { waitingCount: 0, drop, dropped };
    this.readings.set(reading, kept);
    const [oldest] = this.readings;
    if (this.readings.size > MAX_READINGS && oldest !== undefined) {
      this.readings.delete(oldest[0]);
      oldest[1].drop();
    }
    return kept;
  }
}
