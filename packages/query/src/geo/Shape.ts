import type { Point } from '@millrace/language';

/** The rings of one polygon: the outer border first, then its holes; each ring is closed (first point = last point). */
export type PolygonRings = readonly (readonly Point[])[];

/** A geometry of `geo_shape` fields and queries, parsed from GeoJSON, `envelope`, `circle` or WKT (SEARCH-20). */
export type Shape =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'multi_point'; readonly points: readonly Point[] }
  | { readonly kind: 'line'; readonly points: readonly Point[] }
  | { readonly kind: 'multi_line'; readonly lines: readonly (readonly Point[])[] }
  | { readonly kind: 'polygon'; readonly rings: PolygonRings }
  | { readonly kind: 'multi_polygon'; readonly polygons: readonly PolygonRings[] }
  | {
      /** Crosses the date line when `west` > `east`. */
      readonly kind: 'envelope';
      readonly north: number;
      readonly west: number;
      readonly south: number;
      readonly east: number;
    }
  | { readonly kind: 'circle'; readonly center: Point; readonly radiusMetres: number }
  | { readonly kind: 'collection'; readonly shapes: readonly Shape[] };
