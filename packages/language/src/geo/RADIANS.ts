/** One degree in radians. */
export const RADIANS = Math.PI / 180;
