/** Upstream: net/http/response.go, net/http/transfer.go of Go's standard library. */
import { goQuote } from "../go/go-quote.ts";
import { MalformedResponseError } from "./malformed-response-error.ts";

/** The response to one request. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether another request may follow on the connection. */
  readonly keepsConnection: boolean;
}

/** The next part on the connection. */
type Part = "head" | "body" | "rest" | "chunk size" | "chunk" | "chunk end" | "trailer" | "done";

/** Limit of a head, or of one line of a body (bytes), as in Go's client. */
const maxHeadBytes = 10 << 20;
const none = Buffer.alloc(0);

/** Assembles the response to a request from received bytes (HTTP/1.1). */
export class ResponseReader {
  readonly #method: string;
  #part: Part = "head";
  /** Received bytes that aren't parsed yet: less than a line, or none. */
  #pending: Buffer = none;
  /** Later chunks. Joined when the delimiter is found, not with each chunk: chunks may be small. */
  #added: Buffer[] = [];
  #addedBytes = 0;
  /**
   * The delimiter of the current head or line, and the last bytes before the next chunk; "" for
   * none.
   */
  #mark = "";
  #tail: Buffer = none;
  /** Number of missing bytes of the body, or of a part of it. */
  #missing = 0;
  #status = 0;
  #isOld = false;
  #headers: Record<string, string> = {};
  readonly #body: Buffer[] = [];

  constructor(method: string) {
    this.#method = method;
  }

  /** Whether any byte has arrived. */
  get hasBegun(): boolean {
    return this.#part !== "head" || this.#pending.length > 0 || this.#addedBytes > 0;
  }

  /** Parses received bytes; returns the response once it is complete. Throws if it isn't HTTP. */
  push(bytes: Buffer): HttpResponse | undefined {
    this.#added.push(bytes);
    this.#addedBytes += bytes.length;
    if (this.#mark !== "" && !this.#bringsMark(bytes)) {
      this.#checkLength();
      return undefined;
    }
    this.#join();
    while (this.#part !== "done" && this.#step()) {
      // As long as there is a complete part.
    }
    return this.#part === "done" ? this.#response() : undefined;
  }

  /** The connection has ended: returns the response, if that ends it. */
  end(): HttpResponse | undefined {
    return this.#part === "rest" ? this.#response() : undefined;
  }

  #join(): void {
    if (this.#pending.length === 0 && this.#added.length === 1)
      this.#pending = this.#added[0] ?? none;
    else this.#pending = Buffer.concat([this.#pending, ...this.#added]);
    this.#added = [];
    this.#addedBytes = 0;
  }

  /** Parses the next part; false if it is incomplete. */
  #step(): boolean {
    switch (this.#part) {
      case "head":
        return this.#readHead();
      case "body":
      case "chunk":
        return this.#readData();
      case "rest":
        this.#body.push(this.#take(this.#pending.length));
        return false;
      default:
        return this.#readLine();
    }
  }

  #readHead(): boolean {
    const end = this.#find("\r\n\r\n");
    if (end < 0) return false;
    const [first = "", ...lines] = this.#take(end).toString("latin1").split("\r\n");
    this.#take(4);
    const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
    if (status === undefined)
      throw new MalformedResponseError(`malformed HTTP response ${goQuote(first)}`);
    // 100 Continue and the like precede the response.
    if (status.startsWith("1") && status !== "101") return true;
    this.#status = Number(status);
    this.#isOld = minor === "0";
    this.#headers = parseHeaders(lines);
    this.#part = this.#bodyPart();
    return true;
  }

  /** How the body is delimited. */
  #bodyPart(): Part {
    if (this.#method === "HEAD" || [101, 204, 304].includes(this.#status)) return "done";
    if (isChunked(this.#headers["transfer-encoding"] ?? "")) return "chunk size";
    const length = this.#headers["content-length"];
    if (length === undefined) return "rest";
    if (!/^\d+$/.test(length))
      throw new MalformedResponseError(`bad Content-Length ${goQuote(length)}`);
    this.#missing = Number(length);
    return this.#missing === 0 ? "done" : "body";
  }

  #readData(): boolean {
    if (this.#pending.length === 0) return false;
    const part = this.#take(Math.min(this.#missing, this.#pending.length));
    this.#body.push(part);
    this.#missing -= part.length;
    if (this.#missing === 0) this.#part = this.#part === "body" ? "done" : "chunk end";
    return true;
  }

  #readLine(): boolean {
    const end = this.#find("\r\n");
    if (end < 0) return false;
    const line = this.#take(end).toString("latin1");
    this.#take(2);
    if (this.#part === "trailer") {
      if (line === "") this.#part = "done";
    } else if (this.#part === "chunk end") {
      if (line !== "") throw new MalformedResponseError("malformed chunked encoding");
      this.#part = "chunk size";
    } else {
      const [, size] = /^([0-9a-f]{1,12})\s*(?:;|$)/i.exec(line) ?? [];
      if (size === undefined) throw new MalformedResponseError("invalid byte in chunk length");
      this.#missing = Number.parseInt(size, 16);
      this.#part = this.#missing === 0 ? "trailer" : "chunk";
    }
    return true;
  }

  #find(mark: string): number {
    const found = this.#pending.indexOf(mark, 0, "latin1");
    this.#mark = found < 0 ? mark : "";
    this.#tail = this.#pending.subarray(-3);
    if (found < 0) this.#checkLength();
    return found;
  }

  #bringsMark(bytes: Buffer): boolean {
    const seen = Buffer.concat([this.#tail, bytes]);
    this.#tail = seen.subarray(-3);
    return seen.includes(this.#mark, 0, "latin1");
  }

  #checkLength(): void {
    if (this.#pending.length + this.#addedBytes <= maxHeadBytes) return;
    throw new MalformedResponseError("header too long");
  }

  #take(size: number): Buffer {
    const taken = this.#pending.subarray(0, size);
    this.#pending = this.#pending.subarray(size);
    return taken;
  }

  #response(): HttpResponse {
    const connection = (this.#headers["connection"] ?? "").toLowerCase();
    const keeps = this.#isOld ? connection.includes("keep-alive") : !connection.includes("close");
    const [first = none, ...more] = this.#body;
    return {
      status: this.#status,
      headers: this.#headers,
      body: more.length === 0 ? first : Buffer.concat(this.#body),
      keepsConnection: keeps && this.#part === "done" && this.#pending.length === 0,
    };
  }
}

/** Whether the last encoding is chunked. */
const isChunked = (encodings: string): boolean =>
  encodings
    .slice(encodings.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase() === "chunked";

function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new MalformedResponseError(`malformed MIME header line: ${line}`);
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return Object.fromEntries(headers);
}
