import { errorCodes } from "#/std/http2/frame.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import type { ClientConnection, ClientReply, ClientRequest } from "./exchange.ts";

/** A request over HTTP/2. */
export function http2Request(stream: Http2Stream, connection: ClientConnection): ClientRequest {
  const { fields } = stream;
  const fieldOf = (name: string): string | undefined => {
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
    return undefined;
  };
  return {
    method: fieldOf(":method") ?? "GET",
    target: fieldOf(":path") ?? "/",
    host: fieldOf(":authority") ?? fieldOf("host") ?? "",
    fields: joinCookies(fields),
    body: stream.hasAll ? undefined : stream.readable,
    connection,
  };
}

/** Cookies may be split in HTTP/2; HTTP/1.1 has one field (RFC 9113, section 8.2.3). */
function joinCookies(fields: readonly string[]): readonly string[] {
  const cookies: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (name === "cookie") cookies.push(value);
    else rest.push(name, value);
  }
  return cookies.length > 1 ? [...rest, "cookie", cookies.join("; ")] : fields;
}

/** The response over HTTP/2. */
export function http2Reply(stream: Http2Stream, done: () => void): ClientReply {
  let hasBegun = false;
  const gone: (() => void)[] = [];
  stream.onAbort = () => {
    for (const listener of gone) listener();
    done();
  };
  return {
    get hasBegun() {
      return hasBegun;
    },
    begin(status, fields) {
      hasBegun = true;
      stream.respond([":status", String(status), ...fields]);
    },
    write: (chunk) => stream.write(chunk),
    drained: () => stream.drained(),
    end() {
      stream.end();
      done();
    },
    abort() {
      stream.reset(errorCodes.internalError);
      done();
    },
    onGone: (listener) => void gone.push(listener),
  };
}
