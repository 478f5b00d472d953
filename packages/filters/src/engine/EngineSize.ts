/** Size of an engine's content. */
export interface EngineSize {
  readonly filterCount: number;
  readonly collectionCount: number;
  /** Fields that filters name, over all collections. */
  readonly fieldCount: number;
  /** An estimate within about a third: columns are exact, maps and objects count at their usual size. */
  readonly approximateBytes: number;
}
