#!/usr/bin/env node
// The bundled example server: a Millrace server on the embedded defaults with a city's bike stations and trips in it.
import { runProcess } from '@millrace/server';
import { importCity } from './importCity.mjs';

await runProcess(process.argv.slice(2), {
  onStarted: async (kernel, addresses) => {
    await importCity(kernel);
    const { url } = addresses[0];
    console.log(`
The example city is there: 600 bike stations and 5,400 trips. Try:

  curl ${url}/city/stations/station-042

  curl -X POST ${url}/city/stations/_search -H 'Content-Type: application/json' \\
    -d '{"query": {"bool": {"must": {"match": {"description": "tram"}}, "filter": {"range": {"bikes": {"gte": 10}}}}}, "size": 3}'

  curl -X POST ${url}/city/trips/_search -H 'Content-Type: application/json' \\
    -d '{"size": 0, "aggs": {"months": {"date_histogram": {"field": "started", "calendar_interval": "month"}, "aggs": {"length": {"avg": {"field": "meters"}}}}}}'

More in examples/server/README.md. Stop with Ctrl+C; the data stays in the data folder.
`);
  },
});
