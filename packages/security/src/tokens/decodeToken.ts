import { isJsonObject, type JsonObject } from '@millrace/kernel';

const MAX_LENGTH = 8_192;
const FORM = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/**
 * Decodes the claims of a token without verifying it.
 * @returns null if it is malformed
 */
export function decodeToken(token: string): JsonObject | null {
  if (token.length > MAX_LENGTH) return null;
  const [, header = '', payload = ''] = FORM.exec(token) ?? [];
  return parsePart(header) === null ? null : parsePart(payload);
}

function parsePart(part: string): JsonObject | null {
  try {
    const bytes = Buffer.from(part, 'base64url');
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
