/** A place on the earth in degrees: `lat` -90..90, `lon` -180..180. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}
