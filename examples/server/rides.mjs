#!/usr/bin/env node
// Moves bikes between stations of the running example server, so that the live map has something to show.
//   node examples/server/rides.mjs [seconds] [url]      (default: 60 seconds, http://127.0.0.1:7511)
const [seconds = '60', url = 'http://127.0.0.1:7511'] = process.argv.slice(2);
const RIDES_PER_SECOND = 5;
const MAX_SECONDS = 3600;

async function call(method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      // On a server that is locked down: the token of a user who may update stations.
      ...(process.env.TOKEN && { authorization: `Bearer ${process.env.TOKEN}` }),
    },
    body: JSON.stringify(body),
  });
  const { status, error, result } = await response.json();
  if (status !== 200) throw new Error(`${method} ${path}: ${error.message}`);
  return result;
}

const query = { match_all: {} };
const { hits } = await call('POST', '/city/stations/_search', { query, size: 1000 });
const stations = hits.map(({ _id, _source: { bikes, capacity } }) => ({ _id, bikes, capacity }));
const anyOf = (list) => list[Math.floor(Math.random() * list.length)];

const endMs = Date.now() + Math.min(Number(seconds), MAX_SECONDS) * 1000;
let rides = 0;
while (Date.now() < endMs) {
  const from = anyOf(stations.filter(({ bikes }) => bikes > 0));
  const to = anyOf(stations.filter(({ bikes, capacity }) => bikes < capacity));
  for (const [station, change] of [
    [from, -1],
    [to, 1],
  ]) {
    station.bikes += change;
    await call('PUT', `/city/stations/${station._id}/_update`, { bikes: station.bikes });
  }
  rides++;
  await new Promise((resolve) => setTimeout(resolve, 1000 / RIDES_PER_SECOND));
}
console.log(`${rides} rides`);
