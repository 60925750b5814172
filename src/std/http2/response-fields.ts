const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Characters that would end a field in HTTP/1.1, to which a response may be passed on. */
const breaking = /[\0\r\n]/;

/** Whether fields form the head of a valid response, or its trailers, which have no status. */
export function isResponse(fields: readonly string[]): boolean {
  let lengths = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? "";
    const value = fields[index + 1] ?? "";
    if (breaking.test(value)) return false;
    const isStatus = index === 0 && name === ":status" && /^[1-9]\d\d$/.test(value);
    if (!isStatus && !fieldName.test(name)) return false;
    if (name === "content-length" && (++lengths > 1 || !/^\d{1,15}$/.test(value))) return false;
  }
  return true;
}
