/** How much an engine holds. */
export interface EngineSize {
  readonly filterCount: number;
  readonly collectionCount: number;
  /** Fields that filters name, over all collections. */
  readonly fieldCount: number;
  /** An estimate within a third or so: columns exactly, maps and objects by their usual size. */
  readonly approximateBytes: number;
}
