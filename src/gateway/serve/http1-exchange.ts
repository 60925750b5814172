import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientConnection, ClientReply, ClientRequest } from "./exchange.ts";

/** A request over HTTP/1.1. */
export function http1Request(
  incoming: IncomingMessage,
  connection: ClientConnection,
): ClientRequest {
  const { method = "GET", url = "/", headers, rawHeaders } = incoming;
  const length = headers["content-length"];
  const hasBody = headers["transfer-encoding"] !== undefined || (length ?? "0") !== "0";
  return {
    method,
    target: url,
    host: headers.host ?? "",
    fields: rawHeaders,
    body: hasBody ? incoming : undefined,
    connection,
  };
}

/** The response over HTTP/1.1. */
export function http1Reply(incoming: IncomingMessage, response: ServerResponse): ClientReply {
  return {
    get hasBegun() {
      return response.headersSent;
    },
    begin(status, fields) {
      response.sendDate = !fields.includes("date");
      response.writeHead(status, [...fields]);
      // A body that is not read must not keep the connection from its next request.
      response.once("finish", () => incoming.resume());
    },
    write: (chunk) => response.write(chunk),
    drained: () =>
      new Promise((resolve) => {
        const done = (): void => {
          response.off("drain", done).off("close", done);
          resolve();
        };
        response.on("drain", done).on("close", done);
      }),
    end: () => void response.end(),
    abort: () => void response.destroy(),
    onGone: (listener) =>
      void response.once("close", () => {
        if (!response.writableFinished) listener();
      }),
  };
}
