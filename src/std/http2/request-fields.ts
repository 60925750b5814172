/** Fields that are about a connection of HTTP/1.1 and have no place here (RFC 9113, section 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
const pseudoFields: ReadonlySet<string> = new Set([":authority", ":method", ":path", ":scheme"]);
/** Of these the first counts, as in Node's HTTP/1.1. */
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

/** Whether fields are those of a request: all that must be there, each once, in order, and none that must not. */
export function isRequest(fields: readonly string[]): boolean {
  let seen = 0;
  let isPseudo = true;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? "";
    if (name.charCodeAt(0) === 0x3a) {
      if (!isPseudo || !pseudoFields.has(name)) return false;
      for (let before = 0; before < index; before += 2) if (fields[before] === name) return false;
      if (name !== ":authority") seen++;
    } else {
      isPseudo = false;
      if (name === "" || /[A-Z]/.test(name) || connectionFields.has(name)) return false;
      if (name === "te" && fields[index + 1] !== "trailers") return false;
    }
  }
  return seen === 3;
}

/** Values by name; several of one name joined as Node does. */
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
