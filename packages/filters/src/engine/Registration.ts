/** Result of `register`. */
export interface Registration {
  /** 32 hexadecimal digits: the id of the room (FILTER-40). */
  readonly id: string;
  /** False if an equal filter was registered: registrations are not counted. */
  readonly created: boolean;
  /** An estimate of its memory (`estimateBytes`); absent if it was registered before. */
  readonly bytes?: number;
  /** Whether it contains a pattern, so that its matches may be unknown (`FilterEngine.isIncomplete`); absent as `bytes`. */
  readonly hasPatterns?: boolean;
}
