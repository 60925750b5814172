import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { CertificateFiles } from "./certificates.ts";

/** Handles a review of an admission webhook. */
export type Handle = (
  // biome-ignore lint/suspicious/noExplicitAny: a test reaches into reviews of every shape.
  review: any,
  path: string,
) => MaybePromise<WebhookAnswer>;

/** A response for a review, or bytes with a status of their own. */
export type WebhookAnswer =
  | { readonly response: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly body: string };

/** An admission webhook over real TLS on this machine. */
export class WebhookServer implements AsyncDisposable {
  readonly port: number;
  /** Number of connections used by callers. */
  connections = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("secureConnection", () => this.connections++);
  }

  static async start({ certFile, keyFile }: CertificateFiles, handle: Handle) {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    const server = createServer({ cert, key }, async (request, reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const review = JSON.parse(Buffer.concat(chunks).toString());
      const answer = await handle(review, request.url ?? "");
      if ("body" in answer) {
        reply.writeHead(answer.status, { "content-type": "text/plain" }).end(answer.body);
        return;
      }
      const { apiVersion, kind, request: asked } = review;
      const response = { uid: asked.uid, ...answer.response };
      reply.writeHead(200, { "content-type": "application/json" });
      reply.end(JSON.stringify({ apiVersion, kind, response }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new WebhookServer(server);
  }

  url(path = "/"): string {
    return `https://127.0.0.1:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
