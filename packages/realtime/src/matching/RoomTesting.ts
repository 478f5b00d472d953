import { CLOCK, LOGGER, STORAGE_ENGINE, type Clock, type Logger, type StorageEngine } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { Pacer } from '../Pacer.js';
import type { QueryParts } from './CollectionQueries.js';
import { RoomTests } from './RoomTests.js';

/** By room: a query that is refused is removed from the tests. */
type RoomObserver = Pick<QueryParts, 'refused' | 'resized'>;

const ignore = (): void => undefined;

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

  /** @param observer what a changed mapping does to the queries of rooms */
  open(observer: RoomObserver = { refused: ignore, resized: ignore }): RoomTests {
    const { engine, pacer, log, clock, config } = this;
    return new RoomTests(config.filterLimits, { engine, pacer, log, clock, ...observer });
  }
}
