/** What `register` answers. */
export interface Registration {
  /** 32 hexadecimal digits: the id of the room (FILTER-40). */
  readonly id: string;
  /** False where an equal filter was there: registrations are not counted. */
  readonly created: boolean;
  /** An estimate of the memory it takes (`estimateBytes`); absent where it was there. */
  readonly bytes?: number;
}
