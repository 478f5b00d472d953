import { isIP } from 'node:net';
import type { JsonValue } from '@millrace/kernel';
import type { FieldType, OptionReader } from './OptionReader.js';

const MAX_EMAIL_LENGTH = 254;
const MAX_URL_LENGTH = 2_083;

// Each class excludes the character after it, so these expressions take linear time.
const LOCAL = /^[^\s@<>()[\]\\,;:"]+$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
const TOP_LABEL = /^(?:\p{L}{2,}|xn--[a-z0-9-]+)$/iu;
// A user is allowed only after a scheme: without one the string would be an e-mail address.
const URL_PARTS =
  /^(?:(?:https?|ftp):\/\/(?:[^\s/?#@]+@)?)?(?<host>\[[^\]\s]*\]|[^\s/?#:@[\]]+)(?::(?<port>\d{1,5}))?(?:[/?#]\S*)?$/iu;

/** `string`, with a length in UTF-16 units. */
export function stringType(options: OptionReader): FieldType {
  const isLength = (bound: number) => Number.isInteger(bound) && bound >= 0;
  const { min, max } = options.bounds('length', isLength, 'an integer of at least 0');
  return {
    check: (value) => {
      if (typeof value !== 'string') return 'Expected a string.';
      if (value.length < min) return `Value is below the minimum ${min}.`;
      return value.length > max ? `Value is above the maximum ${max}.` : undefined;
    },
  };
}

/** `enum`: one of the listed strings. */
export function enumType(options: OptionReader): FieldType {
  const listed = options.texts('values', () => true, 'texts');
  if (listed === undefined) options.fault('values: an enum needs a non-empty list of strings');
  const values = new Set(listed);
  const shown = [...values].slice(0, 50).join(', ');
  return {
    check: (value) =>
      typeof value === 'string' && values.has(value)
        ? undefined
        : `Expected one of: ${shown}${values.size > 50 ? ', …' : ''}.`,
  };
}

/** `email` */
export function emailType(options: OptionReader): FieldType {
  return textType(options, isEmail, 'Not a valid e-mail address.');
}

/** `url` */
export function urlType(options: OptionReader): FieldType {
  return textType(options, isUrl, 'Not a valid URL.');
}

/** `ip_address` */
export function ipAddressType(options: OptionReader): FieldType {
  const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%');
  return textType(options, isAddress, 'Not a valid IP address.');
}

function textType(options: OptionReader, isValid: (text: string) => boolean, message: string): FieldType {
  const isNotEmpty = options.boolean('notEmpty') ?? false;
  return {
    check: (value: JsonValue) => {
      if (typeof value !== 'string') return 'Expected a string.';
      if (value === '') return isNotEmpty ? 'The string must not be empty.' : undefined;
      return isValid(value) ? undefined : message;
    },
  };
}

function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH) return false;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || !LOCAL.test(local) || local.length > 64) return false;
  const isDotted = !local.startsWith('.') && !local.endsWith('.') && !local.includes('..');
  return isDotted && isDomain(text.slice(at + 1));
}

function isUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH) return false;
  const groups = URL_PARTS.exec(text)?.groups;
  if (groups === undefined || Number(groups.port ?? 0) > 65_535) return false;
  const host = groups.host ?? '';
  if (host.startsWith('[')) return isIP(host.slice(1, -1)) === 6;
  return isIP(host) === 4 || isDomain(host);
}

/** Labels separated by dots, the last one of letters only. */
function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const top = labels[labels.length - 1] ?? '';
  if (labels.length < 2 || domain.length > 253 || !TOP_LABEL.test(top)) return false;
  return labels.every((label) => label.length <= 63 && LABEL.test(label));
}
