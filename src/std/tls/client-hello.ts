/** The beginning of a TLS connection is not a ClientHello. */
export class NoClientHelloError extends Error {
  override readonly name = "NoClientHelloError";
}

/** Limit of a ClientHello (bytes): those of browsers have less than 2 KB. */
const maxHelloBytes = 16 * 1024;
const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;

/**
 * The server name in the first bytes of a TLS connection (RFC 6066, section 3): "" if the client names none, undefined
 * while bytes are missing. Throws a NoClientHelloError.
 */
export function readServerName(bytes: Buffer): string | undefined {
  const hello = joinRecords(bytes);
  if (!hello || hello.length < 4) return undefined;
  if (hello[0] !== clientHello) throw new NoClientHelloError("the first message is another one");
  const length = hello.readUIntBE(1, 3);
  if (length > maxHelloBytes) throw new NoClientHelloError("the first message is too long");
  if (hello.length < 4 + length) return undefined;
  try {
    return nameIn(hello.subarray(4, 4 + length));
  } catch (error) {
    if (error instanceof RangeError) throw new NoClientHelloError("the first message is malformed");
    throw error;
  }
}

/** The content of the handshake records that have arrived as a whole. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshakeRecord) throw new NoClientHelloError("there is no handshake");
    if (bytes.length < at + 5) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length > maxHelloBytes) throw new NoClientHelloError("a record is too long");
    if (bytes.length < at + 5 + length) break;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function nameIn(body: Buffer): string {
  let at = 34; // Version and random.
  at += 1 + body.readUInt8(at); // Session.
  at += 2 + body.readUInt16BE(at); // Ciphers.
  at += 1 + body.readUInt8(at); // Compression.
  if (at >= body.length) return "";
  const end = at + 2 + body.readUInt16BE(at);
  at += 2;
  while (at + 4 <= end) {
    const type = body.readUInt16BE(at);
    const length = body.readUInt16BE(at + 2);
    at += 4;
    if (type === serverNameExtension) return firstName(body, at);
    at += length;
  }
  return "";
}

/** The first name of the extension, of which the type is that of hosts. */
function firstName(body: Buffer, at: number): string {
  if (body.readUInt8(at + 2) !== 0) return "";
  const length = body.readUInt16BE(at + 3);
  body.readUInt8(at + 4 + length); // Throws if it is cut off.
  return body.toString("latin1", at + 5, at + 5 + length).toLowerCase();
}
