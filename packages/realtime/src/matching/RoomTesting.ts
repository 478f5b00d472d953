import {
  CLOCK,
  LOGGER,
  STORAGE_ENGINE,
  type Clock,
  type Logger,
  type StorageEngine,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { Pacer } from '../resume/Pacer.js';
import { RoomTests } from './RoomTests.js';

/** Makes sets of tests: that of the rooms, and those of readings of the change log. */
@scoped(Scope.ContainerScoped)
export class RoomTesting {
  constructor(
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(Pacer) private readonly pacer: Pacer,
    @inject(LOGGER) private readonly log: Logger,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param refused called when a changed mapping refuses the query of a room, which is removed from the tests */
  open(refused: (roomId: string, reason: string) => void = () => undefined): RoomTests {
    const { engine, pacer, log, clock, config } = this;
    return new RoomTests(config.filterLimits, { engine, pacer, log, clock, refused });
  }
}
