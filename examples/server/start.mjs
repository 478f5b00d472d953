#!/usr/bin/env node
// The bundled example server: a Millrace server on the embedded defaults with a city's bike stations and trips in it.
import { localAuth } from '@millrace/auth-local';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import { adminConsole } from '@millrace/console';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { runProcess } from '@millrace/server';
import { importCity } from './importCity.mjs';
import { liveMap } from './liveMap.mjs';

await runProcess(process.argv.slice(2), {
  plugins: [
    ...[localAuth(), oauth2Auth(), samlAuth()],
    ...[websocket(), fallback(), mqtt(), sse()],
    ...[liveMap(), adminConsole({ enabled: true })],
  ],
  onStarted: async (kernel, addresses) => {
    await importCity(kernel);
    const { url } = addresses.find(({ protocol }) => protocol === 'http');
    console.log(`
The example city is there: 600 bike stations and 5,400 trips. Try:

  curl ${url}/city/stations/station-042

  curl -X POST ${url}/city/stations/_search -H 'Content-Type: application/json' \\
    -d '{"query": {"bool": {"must": {"match": {"description": "tram"}}, "filter": {"range": {"bikes": {"gte": 10}}}}}, "size": 3}'

  curl -X POST ${url}/city/trips/_search -H 'Content-Type: application/json' \\
    -d '{"size": 0, "aggs": {"months": {"date_histogram": {"field": "started", "calendar_interval": "month"}, "aggs": {"length": {"avg": {"field": "meters"}}}}}}'

Its data, users and settings in the browser: ${url}/_console/

The stations on a map that changes as they do: open ${url}/_map and press "Move bikes", or run
  node examples/server/rides.mjs 60 ${url}

More in examples/server/README.md. Stop with Ctrl+C; the data stays in the data folder.
`);
  },
});
