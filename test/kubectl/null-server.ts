import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Resource } from "#/api/base/resource.ts";
import type { NullObject } from "#/testing/null-objects.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * A server that answers each read of an object, a list or a table with the object it was given, and everything else as our API server does.
 * Reads of other kinds get an object with nulls, too: describe reads them besides its object.
 */
export class NullServer implements AsyncDisposable {
  shown: NullObject | undefined;
  readonly url: string;
  readonly #others: ReadonlyMap<string, NullObject>;
  readonly #close: () => Promise<void>;

  private constructor(
    url: string,
    others: ReadonlyMap<string, NullObject>,
    close: () => Promise<void>,
  ) {
    this.url = url;
    this.#others = others;
    this.#close = close;
  }

  static async start(others: readonly NullObject[]): Promise<NullServer> {
    const api = await startApiServer();
    const byPath = new Map(others.map((other) => [pathOf(other.resource), other]));
    const http = createServer((request, response) => {
      void (async () => {
        const found = server.#answer(request);
        const { method = "GET", url = "/", headers } = request;
        const accept = { accept: headers.accept ?? "" };
        const reply = found
          ? {
              status: 200,
              text: JSON.stringify(found),
              headers: { "content-type": "application/json" },
            }
          : await api.call(method, url, undefined, { headers: accept });
        const type = String(reply.headers["content-type"]);
        response.writeHead(reply.status, { "content-type": type }).end(reply.text);
      })();
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const server = new NullServer(`http://127.0.0.1:${port}`, byPath, async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await api[Symbol.asyncDispose]();
    });
    return server;
  }

  #answer({ url = "", headers }: IncomingMessage): Json | undefined {
    const [path = ""] = url.split("?");
    const match =
      /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)(\/[^/]+)?$/.exec(path);
    if (!match) return undefined;
    const [, root = "", plural = "", name] = match;
    const found =
      this.shown && pathOf(this.shown.resource) === `${root}/${plural}`
        ? this.shown
        : this.#others.get(`${root}/${plural}`);
    if (!found) return undefined;
    const { object, resource } = found;
    if (headers.accept?.includes("as=Table")) return tableOf(object);
    if (name !== undefined) return object;
    const { apiVersion } = object as { apiVersion: string };
    return { kind: `${resource.kind}List`, apiVersion, metadata: {}, items: [object, object] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function pathOf({ group, version, name }: Resource): string {
  return `${group === "" ? "/api" : `/apis/${group}`}/${version}/${name}`;
}

function tableOf(object: Json): Json {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: [
      { name: "Name", type: "string", format: "name", description: "", priority: 0 },
      { name: "More", type: "string", format: "", description: "", priority: 1 },
    ],
    rows: [
      { cells: ["a", null], object },
      { cells: ["b", null], conditions: null, object },
    ],
  };
}
