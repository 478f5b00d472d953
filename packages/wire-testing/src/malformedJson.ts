/** Pieces that JSON and its readers stumble over. */
export const SPICES: readonly string[] = [
  ...['{', '}', '[', ']', '"', ':', ',', '\\', '\\u0000', '\\ud800', '\0', ' ', '\n', 'é', '✓', '\u2028'],
  ...['null', 'true', '1e400', '-0', '1e-400', '9'.repeat(400), '[['.repeat(300), '{"a":'.repeat(250)],
  ...['"__proto__":{"a":1},', '"constructor":{},', '"requestId":7,', '"requestId":"é",', '"body":[],'],
  ...['"controller":{},', '"jwt":{},', '"headers":5,', '"metadata":[],', '"index":[],', 'x'.repeat(5_000)],
];

/** Requests to mutate. */
export const REQUESTS: readonly string[] = [
  '{"controller":"server","action":"now"}',
  '{"controller":"document","action":"create","index":"i","collection":"c","_id":"x","body":{"a":[1,{"b":"é"}]}}',
  '{"controller":"realtime","action":"subscribe","index":"i","collection":"c","body":{"equals":{"a":1}},"scope":"in"}',
  '{"controller":"auth","action":"login","requestId":"q","metadata":{"m":1},"jwt":"a.b.c","headers":{"authorization":"Bearer x"}}',
];
