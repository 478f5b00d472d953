/** Valid values of `security.jwt.algorithm`. */
export const JWT_ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Algorithm for signing and verifying tokens. */
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];
