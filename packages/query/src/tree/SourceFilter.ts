/** The part of `_source` that hits return; patterns may contain `*`. */
export interface SourceFilter {
  /** False: hits carry no `_source`. */
  readonly enabled: boolean;
  /** Empty: everything. */
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}
