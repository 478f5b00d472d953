import { inBody, top } from './argumentsAt.js';
import { keyword, value } from './ArgumentKind.js';
import { reads, writes, type CommandDefinition } from './CommandDefinition.js';
import { center, geoaddParts, geoOptions, radius, searchArea, UNITS } from './geoParts.js';

const key = top.key();
const members = top.list('member', 'members', value);
const byPosition = [key, top.decimal('longitude'), top.decimal('latitude'), radius, geoOptions];
const byMember = [key, top.value('member'), radius, geoOptions];

/** Geospatial commands. */
export const geoCommands: readonly CommandDefinition[] = [
  writes('geoadd', 'Adds places.', 'POST /ms/_geoadd/:_id', [key, geoaddParts]),
  reads('geodist', 'Returns the distance between two places.', 'GET /ms/_geodist/:_id/:member1/:member2', [
    key,
    top.value('member1'),
    top.value('member2'),
    top.option('unit', keyword(...UNITS)),
  ]),
  reads(
    'geohash',
    'Returns the geohashes of places.',
    ['GET /ms/_geohash/:_id/:member', 'GET /ms/_geohash/:_id'],
    [key, members],
  ),
  reads(
    'geopos',
    'Returns the coordinates of places.',
    ['GET /ms/_geopos/:_id/:member', 'GET /ms/_geopos/:_id'],
    [key, members],
  ),
  // Storing is not supported, so the read-only variants of the commands are run.
  reads('georadius', 'Finds places around a point.', 'GET /ms/_georadius/:_id', byPosition, {
    command: 'GEORADIUS_RO',
  }),
  reads('georadius_ro', 'Finds places around a point.', 'GET /ms/_georadius_ro/:_id', byPosition),
  reads('georadiusbymember', 'Finds places around a place.', 'GET /ms/_georadiusbymember/:_id', byMember, {
    command: 'GEORADIUSBYMEMBER_RO',
  }),
  reads('georadiusbymember_ro', 'Finds places around a place.', 'GET /ms/_georadiusbymember_ro/:_id', byMember),
  reads('geosearch', 'Finds places in an area.', 'GET /ms/_geosearch/:_id', [
    key,
    center('top'),
    searchArea('top'),
    geoOptions,
  ]),
  writes('geosearchstore', 'Stores the places in an area.', 'POST /ms/_geosearchstore/:_id', [
    inBody.key('destination'),
    key,
    center('body'),
    searchArea('body', true),
  ]),
];
