/** Four sides in degrees, edges inside. `left` > `right`: across the 180° meridian. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
