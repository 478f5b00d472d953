/**
 * The form in which a password is hashed and compared: RFC 8265 section 4.2.2 (OpaqueString), so that the same
 * characters typed on another system are the same password. Spaces other than U+0020 become U+0020, then NFC. Case,
 * width and leading or trailing spaces count. Unlike the RFC, control characters are taken: they are compared as they are.
 */
export function normalizePassword(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
}
