import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Context } from "../command/context.ts";
import { getUrl } from "./get-url.ts";

/** Ports that fetch() refuses, as browsers do. */
const refusedPorts = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080];

/** Listens at the first of those ports that is free. */
async function listen(server: Server): Promise<number> {
  for (const port of refusedPorts) {
    server.listen(port, "127.0.0.1");
    const [error] = await Promise.race([
      once(server, "listening").then(() => [undefined]),
      new Promise<[Error]>((resolve) => void server.once("error", (problem) => resolve([problem]))),
    ]);
    if (error === undefined) return (server.address() as AddressInfo).port;
  }
  throw new Error("all ports that fetch refuses are taken");
}

describe("getUrl()", () => {
  const server = createServer((request, response) => {
    const { url = "" } = request;
    if (url === "/found") response.writeHead(302, { location: "text" }).end();
    else if (url === "/loop") response.writeHead(307, { location: "/loop" }).end();
    else if (url === "/text") response.end("text");
    else response.writeHead(404).end();
  });
  let base = "";
  before(async () => {
    base = `http://127.0.0.1:${await listen(server)}`;
  });
  after(() => void server.close());
  const context = { env: {}, signal: new AbortController().signal } as unknown as Context;
  const get = async (path: string): Promise<string> => {
    const { status, statusText, body } = await getUrl(base + path, context);
    return `${status} ${statusText} ${body}`;
  };

  test("connects to ports that fetch() refuses", async () => {
    assert.equal(await get("/text"), "200 OK text");
    assert.equal(await get("/nothing"), "404 Not Found ");
  });

  test("follows redirects, and not for ever", async () => {
    assert.equal(await get("/found"), "200 OK text");
    await assert.rejects(get("/loop"), {
      message: `Get "${base}/loop": stopped after 10 redirects`,
    });
  });
});
