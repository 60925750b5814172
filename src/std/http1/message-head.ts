/** The head of a message could not be read; the status is that of the answer to such a request. */
export class MessageError extends Error {
  override readonly name = "MessageError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How the end of a body is found: by its length (bytes), by its chunks, or by the end of the connection. */
export type BodyLength = number | "chunked" | "until close";

/** What a head says, whichever its direction. */
interface MessageHead {
  /** Names, in lower case, and values alternate. */
  readonly fields: readonly string[];
  readonly body: BodyLength;
  /** Whether another message may follow on the connection. */
  readonly keepsConnection: boolean;
  /** The protocol that the sender wants to speak from here, in lower case; "" for none. */
  readonly upgrade: string;
}

export interface RequestHead extends MessageHead {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  /** Whether it is HTTP/1.0. */
  readonly isOld: boolean;
  /** Whether the client waits for "100 Continue". */
  readonly expectsContinue: boolean;
}

export interface ResponseHead extends MessageHead {
  readonly status: number;
}

/** Fields that a reader must know; the others are passed on. */
interface KnownFields {
  host: string | undefined;
  length: number | undefined;
  isChunked: boolean;
  connection: string;
  upgrade: string;
  expect: string;
}

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/;
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** Field lines as RFC 9112 has them: no line without name, none that continues another, no space before the colon. */
const fieldLines = /^(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

/** Reads the head of a request, without the empty line at its end. Throws a MessageError. */
export function readRequestHead(text: string): RequestHead {
  const lineEnd = endOfLine(text, 0);
  const [, method = "", target = "", minor] = requestLine.exec(text.slice(0, lineEnd)) ?? [];
  if (method === "") throw new MessageError(400, "malformed request line");
  const { fields, known } = readFields(text, lineEnd);
  const isOld = minor === "0";
  if (known.host === undefined && !isOld) throw new MessageError(400, "no Host");
  if (known.isChunked && (isOld || known.length !== undefined)) {
    throw new MessageError(400, "two lengths of a body");
  }
  return {
    method,
    target,
    host: known.host ?? "",
    fields,
    body: known.isChunked ? "chunked" : (known.length ?? 0),
    keepsConnection: keepsConnection(known.connection, isOld),
    upgrade: hasWord(known.connection, "upgrade") ? known.upgrade : "",
    isOld,
    expectsContinue: known.expect === "100-continue" && !isOld,
  };
}

/** Reads the head of the response to a request of this method. Throws a MessageError. */
export function readResponseHead(text: string, method: string): ResponseHead {
  const lineEnd = endOfLine(text, 0);
  const [, minor, digits] = statusLine.exec(text.slice(0, lineEnd)) ?? [];
  if (digits === undefined) throw new MessageError(502, "malformed status line");
  const status = Number(digits);
  const { fields, known } = readFields(text, lineEnd);
  if (known.isChunked && known.length !== undefined) {
    throw new MessageError(502, "two lengths of a body");
  }
  const body = lengthOfResponse(method, status, known);
  return {
    status,
    fields,
    body,
    keepsConnection: keepsConnection(known.connection, minor === "0") && body !== "until close",
    upgrade: status === 101 ? known.upgrade : "",
  };
}

function lengthOfResponse(method: string, status: number, known: KnownFields): BodyLength {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return 0;
  return known.isChunked ? "chunked" : (known.length ?? "until close");
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end < 0 ? text.length : end;
}

/** Reads field lines; each begins with the end of the line before. */
function readFields(text: string, from: number): { fields: string[]; known: KnownFields } {
  if (!fieldLines.test(text.slice(from))) throw new MessageError(400, "malformed field");
  const fields: string[] = [];
  const known: KnownFields = {
    host: undefined,
    length: undefined,
    isChunked: false,
    connection: "",
    upgrade: "",
    expect: "",
  };
  for (let at = from; at < text.length; ) {
    const colon = text.indexOf(":", at);
    const end = endOfLine(text, colon);
    const name = text.slice(at + 2, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    fields.push(name, value);
    note(known, name, value);
    at = end;
  }
  return { fields, known };
}

function note(known: KnownFields, name: string, value: string): void {
  switch (name) {
    case "host":
      if (known.host !== undefined) throw new MessageError(400, "two Hosts");
      known.host = value;
      break;
    case "content-length":
      known.length = lengthOf(value, known.length);
      break;
    case "transfer-encoding":
      // Any other encoding, or two, would be read differently by the next server.
      if (known.isChunked || value.toLowerCase() !== "chunked") {
        throw new MessageError(501, "unknown Transfer-Encoding");
      }
      known.isChunked = true;
      break;
    case "connection":
      known.connection += `,${value.toLowerCase()}`;
      break;
    case "upgrade":
      known.upgrade = value.toLowerCase();
      break;
    case "expect":
      known.expect = value.toLowerCase();
  }
}

function lengthOf(value: string, before: number | undefined): number {
  if (!/^\d{1,15}$/.test(value) || before !== undefined) {
    throw new MessageError(400, "malformed Content-Length");
  }
  return Number(value);
}

function keepsConnection(connection: string, isOld: boolean): boolean {
  if (connection === "") return !isOld;
  if (hasWord(connection, "close")) return false;
  return !isOld || hasWord(connection, "keep-alive");
}

const hasWord = (list: string, word: string): boolean =>
  list !== "" && list.split(",").some((one) => one.trim() === word);
