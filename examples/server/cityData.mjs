import { seededRandom } from './seededRandom.mjs';

const SEED = 20240501;
const STATION_COUNT = 600;
const TRIP_COUNT = 5400;
const CENTRE = { lat: 47.2184, lon: -1.5536 };

const DISTRICTS = [
  'Old Town',
  'Harbour',
  'University',
  'Riverside',
  'Station Quarter',
  'Gardens',
  'Docks',
  'Hillside',
  'Market',
  'Island',
];
const STREETS = [
  'Mill',
  'Chapel',
  'Bridge',
  'Orchard',
  'Castle',
  'Lock',
  'Tannery',
  'Lime',
  'Quay',
  'Foundry',
  'Rope',
  'Weir',
  'Bakers',
  'Saddlers',
];
const KINDS = ['Street', 'Square', 'Lane', 'Gate', 'Park', 'Quay', 'Steps'];
const TAGS = ['covered', 'charging', 'cargo', 'kids', 'night-light', 'repair-stand', 'tourist'];
const SIGHTS = [
  'the old mill race',
  'a small bakery',
  'the tram stop',
  'the public library',
  'a shady playground',
  'the covered market',
  'the boat landing',
  'a row of lime trees',
];
const REMARKS = [
  'Often full in the morning',
  'Quiet after eight in the evening',
  'Popular with students',
  'Best reached from the river path',
  'Busy on market days',
  'Rebuilt with wider docks',
  'Watch out for the tram rails',
];
const COMMENTS = [
  'Smooth ride along the river',
  'The brakes were a little soft',
  'Great bike, no complaints',
  'The dock was hard to open',
  'Rain all the way',
  'Lovely evening ride',
  'The saddle was stuck',
  'Fast and easy',
];

const round = (value, digits) => Number(value.toFixed(digits));
const isoDay = (ms) => new Date(ms).toISOString().slice(0, 10);

/** Mappings of the two collections. */
export const MAPPINGS = {
  stations: {
    properties: {
      name: { type: 'text', fields: { keyword: { type: 'keyword' } } },
      district: { type: 'keyword' },
      description: { type: 'text', analyzer: 'english' },
      location: { type: 'geo_point' },
      capacity: { type: 'integer' },
      bikes: { type: 'integer' },
      electric: { type: 'boolean' },
      rating: { type: 'float' },
      tags: { type: 'keyword' },
      opened: { type: 'date' },
    },
  },
  trips: {
    properties: {
      from: { type: 'keyword' },
      to: { type: 'keyword' },
      district: { type: 'keyword' },
      started: { type: 'date' },
      seconds: { type: 'integer' },
      meters: { type: 'integer' },
      bike: { type: 'keyword' },
      member: { type: 'boolean' },
      comment: { type: 'text' },
    },
  },
};

/** The made-up city: `{stations: [{_id, …}], trips: [{_id, …}]}`, always the same. */
export function cityData() {
  const random = seededRandom(SEED);
  const stations = Array.from({ length: STATION_COUNT }, (_, i) => makeStation(random, i + 1));
  const trips = Array.from({ length: TRIP_COUNT }, (_, i) => makeTrip(random, i + 1, stations));
  return { stations, trips };
}

function makeStation(random, number) {
  const capacity = random.integer(8, 40);
  const bikes = random.integer(0, capacity);
  const district = random.pick(DISTRICTS);
  return {
    _id: `station-${String(number).padStart(3, '0')}`,
    name: `${random.pick(STREETS)} ${random.pick(KINDS)} ${number}`,
    district,
    description: `${random.pick(REMARKS)}. Next to ${twoSights(random)}.`,
    location: {
      lat: round(CENTRE.lat + (random.next() - 0.5) * 0.12, 5),
      lon: round(CENTRE.lon + (random.next() - 0.5) * 0.18, 5),
    },
    capacity,
    bikes,
    electric: random.chance(0.4),
    rating: round(2.5 + random.next() * 2.5, 1),
    tags: TAGS.filter(() => random.chance(0.25)),
    opened: isoDay(Date.UTC(2016, 0, 1) + random.integer(0, 3000) * 86_400_000),
  };
}

function makeTrip(random, number, stations) {
  const [from, to] = [random.pick(stations), random.pick(stations)];
  const seconds = random.integer(120, 5400);
  const startedMs = Date.UTC(2024, 0, 1) + random.integer(0, 182 * 86_400) * 1000;
  return {
    _id: `trip-${String(number).padStart(5, '0')}`,
    from: from._id,
    to: to._id,
    district: from.district,
    started: new Date(startedMs).toISOString(),
    seconds,
    meters: Math.round(seconds * (2.5 + random.next() * 3)),
    bike: from.electric && random.chance(0.7) ? 'electric' : random.pick(['classic', 'classic', 'cargo']),
    member: random.chance(0.65),
    ...(random.chance(0.3) ? { comment: random.pick(COMMENTS) } : {}),
  };
}

function twoSights(random) {
  const first = random.integer(0, SIGHTS.length - 1);
  const second = (first + random.integer(1, SIGHTS.length - 1)) % SIGHTS.length;
  return `${SIGHTS[first]} and ${SIGHTS[second]}`;
}
