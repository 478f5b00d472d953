/** Four sides in degrees, edges inclusive. `left` > `right` if the box crosses the 180° meridian. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
