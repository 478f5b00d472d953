import autocannon from 'autocannon';

const [url, connections, seconds] = process.argv.slice(2);
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
});
process.send({ requestsPerSecond: result.requests.average, failed: result.errors + result.non2xx });
process.disconnect();
