/**
 * Headers of a response: names and values in turn. Node takes this form as it is, and a list that is
 * joined from others takes a fraction of the time of an object.
 */
export type ResponseHeaders = readonly (string | number)[];

/** As an object, for contracts of other packages: each name must be there once. */
export function toRecord(headers: ResponseHeaders): Readonly<Record<string, string | number>> {
  const record: Record<string, string | number> = {};
  for (let at = 0; at < headers.length; at += 2) {
    record[String(headers[at])] = headers[at + 1] ?? '';
  }
  return record;
}
