/** Connection-specific fields of HTTP/1.1, which are invalid here (RFC 9113, section 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
const pseudoFields: ReadonlySet<string> = new Set([":authority", ":method", ":path", ":scheme"]);
/** Only the first value of these is used, as in Node's HTTP/1.1. */
const singleFields: ReadonlySet<string> = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "date",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Characters that would end a field in HTTP/1.1, to which a request may be proxied. */
const breaking = /[\0\r\n]/;

/**
 * Whether fields form a valid request: all required ones, each once, in order, and no forbidden
 * one.
 */
export function isRequest(fields: readonly string[]): boolean {
  let seen = 0;
  let isPseudo = true;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? "";
    const value = fields[index + 1] ?? "";
    if (breaking.test(value)) return false;
    if (name.charCodeAt(0) === 0x3a) {
      if (!isPseudo || !pseudoFields.has(name)) return false;
      for (let before = 0; before < index; before += 2) if (fields[before] === name) return false;
      if (name === ":path" && !value.startsWith("/") && value !== "*") return false;
      if (name !== ":authority") seen++;
    } else {
      isPseudo = false;
      if (!fieldName.test(name) || connectionFields.has(name)) return false;
      if (name === "te" && value !== "trailers") return false;
    }
  }
  return seen === 3;
}

/** The declared length of the body; undefined if there is none, NaN if it is invalid. */
export function declaredLength(fields: readonly string[]): number | undefined {
  let length: number | undefined;
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index] !== "content-length") continue;
    const value = fields[index + 1] ?? "";
    const stated = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (length !== undefined && length !== stated) return Number.NaN;
    length = stated;
  }
  return length;
}

/** Values by name; repeated fields are joined as Node does. */
export function fieldsByName(fields: readonly string[]): Record<string, string> {
  const values = Object.create(null) as Record<string, string>;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? "";
    const value = fields[index + 1] ?? "";
    const before = values[name];
    if (before === undefined) values[name] = value;
    else if (!singleFields.has(name)) {
      values[name] = `${before}${name === "cookie" ? "; " : ", "}${value}`;
    }
  }
  return values;
}
