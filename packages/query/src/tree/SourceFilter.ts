/** Which part of `_source` a hit shows; patterns may hold `*`. */
export interface SourceFilter {
  /** False: hits carry no `_source`. */
  readonly enabled: boolean;
  /** Empty: everything. */
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}
