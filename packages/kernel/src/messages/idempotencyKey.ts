import { apiErrors } from '../errors/errors.js';
import { fieldsOf, type Request } from '../contracts/request/Request.js';
import { showValue } from '../errors/showValue.js';

const FORM = /^[\x21-\x7e]{1,128}$/;
const QUOTED = /^"(.*)"$/;

/**
 * The idempotency key of a request (IDEM-1): the field `idempotencyKey`, else the header `Idempotency-Key`, whose value
 * may be in quotation marks. Null if there is none.
 * @throws api.invalid_argument (400)
 */
export function idempotencyKey(request: Request): string | null {
  const fields = fieldsOf(request);
  const field = Object.hasOwn(fields, 'idempotencyKey') ? fields['idempotencyKey'] : undefined;
  const given = request.headers?.['idempotency-key'];
  const header = typeof given === 'string' ? given.replace(QUOTED, '$1') : given;
  const sent = field ?? header;
  if (sent === undefined || sent === null) return null;
  const isOther = header !== undefined && header !== sent;
  if (typeof sent === 'string' && FORM.test(sent) && !isOther) return sent;
  throw apiErrors.invalid_argument({
    name: field === undefined || field === null ? 'Idempotency-Key' : 'idempotencyKey',
    value: showValue(sent),
    expected: isOther ? 'the key of the header Idempotency-Key' : '1 to 128 printable ASCII characters without spaces',
  });
}
