/**
 * Whether the JSON of a query may contain date mathematics from the current time, such as `now-1h`: it then matches
 * other documents as time passes.
 */
export function mentionsNow(json: string): boolean {
  return json.includes('"now');
}
