/** A place in degrees: latitude −90..90, longitude −180..180. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}
