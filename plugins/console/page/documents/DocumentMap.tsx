import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Empty, Failed, Loading } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toCell, valueAt } from './columns.js';
import { filterByBox } from './filterByBox.js';
import { LAND } from './LAND.js';
import { boxOf, fromPixel, panned, toPixel, viewOf, zoomed, type Box, type MapView, type Size } from './MapView.js';
import { pointsOf, type Point } from './points.js';
import { queryOfSearch } from './query.js';
import type { Depth } from './QueryBar.jsx';

const MAX_DOCUMENTS = 1000;
const MAX_LISTED = 100;
/** Of one document. */
const MAX_POINTS = 1000;
/** The outlines are a quarter of a degree wrong: not drawn where that is seen. */
const MAX_LAND_SCALE = 90_000;
const PAN_PIXELS = 80;
const CLICK_PIXELS = 16;
const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
const EQUATOR_KM = 40_075;
const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** A document with its points. */
interface Place {
  readonly id: string;
  readonly label: string;
  readonly points: readonly Point[];
}

interface DocumentMapProps {
  readonly index: string;
  readonly collection: string;
  /** The present search. */
  readonly asked: Fields;
  readonly depth: Depth;
  /** Of the address. */
  readonly query: Readonly<Record<string, string>>;
  /** Those of the type `geo_point`, and the one that is shown. */
  readonly fields: readonly string[];
  readonly field: string;
  /** The field that names a document. */
  readonly title: string | undefined;
  /** Changes when the documents have changed. */
  readonly turn: unknown;
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** The documents of a query as points, on a map that is drawn here: no tiles, so no request to another server. */
export function DocumentMap(props: DocumentMapProps) {
  const { index, collection, asked, depth, query, fields, field, title, turn, change } = props;
  const matching = queryOfSearch(asked);
  const search = JSON.stringify(matching);
  const found = useLoad(
    async (signal) => {
      const filter = [...(matching === undefined ? [] : [matching]), { exists: { field } }];
      const includes = title === undefined ? [field] : [field, title];
      const body = { query: { bool: { filter } }, size: MAX_DOCUMENTS, _source: { includes, maxLength: MAX_POINTS } };
      const { hits, total } = await run<{
        readonly hits: readonly { readonly _id: string; readonly _source: Fields }[];
        readonly total: number;
      }>('document.search', { index, collection, body }, { signal });
      const places = hits.map(({ _id, _source }): Place => {
        const label = title === undefined ? '' : toCell(valueAt(_source, title), '');
        return { id: _id, label, points: pointsOf(valueAt(_source, field)) };
      });
      return { places, total };
    },
    [index, collection, field, title, search, turn],
  );
  const { value, error } = found;
  return (
    <section class="map" aria-label="Map">
      <div class="row map-head">
        <label class="row">
          <span>Map of</span>
          <select class="auto" value={field} onChange={(event) => change({ map: event.currentTarget.value })}>
            {fields.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {value !== undefined && value.total > value.places.length && (
          <span class="soft">
            {value.places.length.toLocaleString()} of {value.total.toLocaleString()}: filter by a part to see others
          </span>
        )}
        <span class="grow" />
        <button type="button" class="quiet" onClick={() => change({ map: undefined })}>
          Close the map
        </button>
      </div>
      {error !== undefined ? (
        <Failed error={error} retry={found.reload} />
      ) : value === undefined ? (
        <Loading lines={8} />
      ) : value.places.length === 0 ? (
        <Empty title={`No document has a point in ${field}`} />
      ) : (
        <Drawn
          key={field}
          search={search}
          places={value.places}
          field={field}
          openId={query['doc']}
          onOpen={(id) => change({ doc: id })}
          onBox={(box) => change(filterByBox({ depth, query, asked }, field, box))}
        />
      )}
    </section>
  );
}

function Drawn({
  search,
  places,
  field,
  openId,
  onOpen,
  onBox,
}: {
  readonly search: string | undefined;
  readonly places: readonly Place[];
  readonly field: string;
  readonly openId: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onBox: (box: Box) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 600, height: 400 });
  const [moved, setView] = useState<MapView>();
  const [pointed, point] = useState<string>();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  // Another query shows all its points.
  useEffect(() => setView(undefined), [search]);
  const all = useMemo(
    () =>
      viewOf(
        places.flatMap(({ points }) => points),
        size,
      ),
    [places, size],
  );
  const view = moved ?? all;
  const change = (next: (view: MapView) => MapView) => setView((last) => next(last ?? all));
  const middle = [size.width / 2, size.height / 2] as const;
  const zoom = (factor: number, at: readonly [number, number] = middle) =>
    change((last) => zoomed(last, factor, at, size));
  const box = boxOf(view, size);
  const inside = places.filter(({ points }) => points.some((each) => isIn(each, box)));
  const open = (at: readonly [number, number]) => {
    const nearest = nearestTo(at, inside, view, size);
    if (nearest !== undefined) onOpen(nearest.id);
  };
  const pointers = usePointers({ change, zoom, open });
  const onKeyDown = (event: KeyboardEvent) => {
    const pan = (right: number, down: number) => change((last) => panned(last, right * PAN_PIXELS, down * PAN_PIXELS));
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => pan(-1, 0),
      ArrowRight: () => pan(1, 0),
      ArrowUp: () => pan(0, -1),
      ArrowDown: () => pan(0, 1),
      '+': () => zoom(2),
      '=': () => zoom(2),
      '-': () => zoom(0.5),
      '0': () => setView(undefined),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const marked = places.find(({ id }) => id === (pointed ?? openId));
  return (
    <div class="map-body">
      <div class={`map-frame ${hasLand(view) ? 'with-land' : ''}`} ref={frame}>
        <svg
          role="application"
          aria-label={`Map of ${field}: arrow keys move it, + and − zoom, 0 shows all points`}
          tabindex={0}
          width={size.width}
          height={size.height}
          onKeyDown={onKeyDown}
          {...pointers}
        >
          <Ground view={view} size={size} box={box} />
          <path class="points" d={pathOf(inside, view, size)} />
          {marked !== undefined && <path class="points marked" d={pathOf([marked], view, size)} />}
        </svg>
        <div class="map-tools">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(2)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => zoom(0.5)}>
            −
          </button>
          <button type="button" disabled={moved === undefined} onClick={() => setView(undefined)}>
            All points
          </button>
          <button type="button" onClick={() => onBox(box)}>
            Filter by this part
          </button>
        </div>
      </div>
      <div class="map-list">
        <p class="soft" role="status">
          {inside.length} of {places.length} in this part, {widthOf(view, size)} across
        </p>
        <ul aria-label="Documents in this part">
          {inside.slice(0, MAX_LISTED).map(({ id, label }) => (
            <li key={id}>
              <button
                type="button"
                class="link"
                aria-current={id === openId}
                onClick={() => onOpen(id)}
                onFocus={() => point(id)}
                onBlur={() => point(undefined)}
                onPointerEnter={() => point(id)}
                onPointerLeave={() => point(undefined)}
              >
                <bdi>{id}</bdi> <bdi class="soft">{label}</bdi>
              </button>
            </li>
          ))}
        </ul>
        {inside.length > MAX_LISTED && <p class="soft small">The first {MAX_LISTED}: zoom in for others.</p>}
      </div>
    </div>
  );
}

/** Land, and lines of longitude and latitude with their degrees. */
function Ground({ view, size, box }: { readonly view: MapView; readonly size: Size; readonly box: Box }) {
  const step = STEPS.findLast((each) => (each / 360) * view.scale >= 90) ?? 30;
  const { width, height } = size;
  const meridians = multiples(step, box.left, box.right).map(
    (lon) => [toPixel({ lat: 0, lon }, view, size)[0], lon] as const,
  );
  const parallels = multiples(step, box.bottom, box.top).map(
    (lat) => [toPixel({ lat, lon: 0 }, view, size)[1], lat] as const,
  );
  const lines = [...meridians.map(([x]) => `M${x} 0V${height}`), ...parallels.map(([y]) => `M0 ${y}H${width}`)];
  return (
    <g aria-hidden="true">
      {hasLand(view) && <path class="land" d={landPath(view, size)} />}
      <path class="graticule" d={lines.join('')} />
      {meridians.map(([x, lon]) => (
        <text key={lon} x={x + 3} y={height - 5}>
          {degrees(lon, step, 'E', 'W')}
        </text>
      ))}
      {parallels.map(([y, lat]) => (
        <text key={lat} x={4} y={y - 3}>
          {degrees(lat, step, 'N', 'S')}
        </text>
      ))}
    </g>
  );
}

/** Dragging, pinching, the wheel, and clicks. */
function usePointers({
  change,
  zoom,
  open,
}: {
  readonly change: (next: (view: MapView) => MapView) => void;
  readonly zoom: (factor: number, at: readonly [number, number]) => void;
  readonly open: (at: readonly [number, number]) => void;
}) {
  const down = useRef(new Map<number, readonly [number, number]>());
  const travelled = useRef(0);
  const placeOf = ({ currentTarget, clientX, clientY }: MouseEvent): readonly [number, number] => {
    const { left, top } = (currentTarget as Element).getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      if (down.current.size === 0) travelled.current = 0;
      down.current.set(event.pointerId, placeOf(event));
    },
    onPointerMove: (event: PointerEvent) => {
      const last = down.current.get(event.pointerId);
      if (last === undefined) return;
      const next = placeOf(event);
      const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1];
      down.current.set(event.pointerId, next);
      travelled.current += distance(last, next);
      if (other !== undefined) zoom(distance(other, next) / Math.max(1, distance(other, last)), other);
      else change((view) => panned(view, last[0] - next[0], last[1] - next[1]));
    },
    onPointerUp: (event: PointerEvent) => {
      const isClick = down.current.size === 1 && travelled.current < 5;
      down.current.delete(event.pointerId);
      if (isClick) open(placeOf(event));
    },
    onPointerCancel: (event: PointerEvent) => void down.current.delete(event.pointerId),
    onWheel: (event: WheelEvent) => {
      event.preventDefault();
      zoom(2 ** (-event.deltaY / 300), placeOf(event));
    },
  };
}

function hasLand({ scale }: MapView): boolean {
  return scale <= MAX_LAND_SCALE;
}

const RINGS = LAND.split(';').map((ring) => {
  const numbers = ring.match(/-?\d+/g)?.map(Number) ?? [];
  let [lon, lat] = [0, 0];
  return Array.from({ length: numbers.length / 2 }, (_, position): Point => {
    lon += numbers[2 * position] ?? 0;
    lat += numbers[2 * position + 1] ?? 0;
    return { lon: lon / 10, lat: lat / 10 };
  });
});

function landPath(view: MapView, size: Size): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  return RINGS.map((ring) => `M${ring.map((each) => toPixel(each, view, size).map(round).join(' ')).join('L')}Z`).join(
    '',
  );
}

/** Lines without a length, which the round ends of their strokes make points. */
function pathOf(places: readonly Place[], view: MapView, size: Size): string {
  const pixels = places.flatMap(({ points }) => points.map((each) => toPixel(each, view, size)));
  return pixels.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('');
}

function nearestTo(
  at: readonly [number, number],
  places: readonly Place[],
  view: MapView,
  size: Size,
): Place | undefined {
  let nearest: Place | undefined;
  let least = CLICK_PIXELS;
  for (const place of places) {
    for (const each of place.points) {
      const away = distance(at, toPixel(each, view, size));
      if (away >= least) continue;
      least = away;
      nearest = place;
    }
  }
  return nearest;
}

function distance([x, y]: readonly [number, number], [otherX, otherY]: readonly [number, number]): number {
  return Math.hypot(x - otherX, y - otherY);
}

function isIn({ lat, lon }: Point, { top, left, bottom, right }: Box): boolean {
  return lat <= top && lat >= bottom && lon >= left && lon <= right;
}

function multiples(step: number, from: number, to: number): readonly number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, position) => (first + position) * step);
}

function degrees(value: number, step: number, positive: string, negative: string): string {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const side = Number(value.toFixed(digits)) === 0 ? '' : ` ${value > 0 ? positive : negative}`;
  return `${Math.abs(value).toFixed(digits)}°${side}`;
}

function widthOf(view: MapView, size: Size): string {
  const { lat } = fromPixel([size.width / 2, size.height / 2], view, size);
  const km = ((EQUATOR_KM * size.width) / view.scale) * Math.cos((lat * Math.PI) / 180);
  return km < 1 ? `${NUMBER.format(km * 1000)} m` : `${NUMBER.format(Math.min(km, EQUATOR_KM))} km`;
}
