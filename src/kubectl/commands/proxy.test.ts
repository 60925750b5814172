import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import type { Host } from "../base/host.ts";
import { runKubectl } from "../run.ts";

const files: Readonly<Record<string, string | Buffer>> = {
  "home/index.html": "<h1>x</h1>",
  "sub/inner/deep": "",
  "sub/one": "",
  "sub/a b&c.txt": "text",
  "sub/x:y.json": "{}",
  "sub/<i>.md": "x",
  "a.css": "body{}",
  "p.svg": "<svg/>",
  "q.png": "png",
  README: "plain words\n",
  blob: Buffer.from([0, 1]),
  page: "<!DOCTYPE html>",
};

const list = `<!doctype html>
<meta name="viewport" content="width=device-width">
<pre>
<a href="%3Ci%3E.md">&lt;i&gt;.md</a>
<a href="a%20b&c.txt">a b&amp;c.txt</a>
<a href="inner/">inner/</a>
<a href="one">one</a>
<a href="./x:y.json">x:y.json</a>
</pre>
`;

const moved = (to: string): string => `<a href="${to}">Temporary Redirect</a>.\n\n`;
const html = "text/html; charset=utf-8";
const plain = "text/plain; charset=utf-8";

/** Path, headers; then status, media type, location and body of upstream's response. */
const answers: readonly (readonly [
  string,
  Record<string, string>,
  string,
  string,
  string,
  string,
])[] = [
  ["/static/sub/", {}, "200", html, "", list],
  ["/static", {}, "307", html, "/static/", moved("/static/")],
  ["/static//sub/", {}, "307", html, "/static/sub/", moved("/static/sub/")],
  ["/a//b?c=d", {}, "307", html, "/a/b?c=d", moved("/a/b?c=d")],
  ["/static/../x", {}, "307", html, "/x", moved("/x")],
  ["/static/sub", {}, "301", "", "sub/", ""],
  ["/static/sub?x=1", {}, "301", "", "sub/?x=1", ""],
  ["/static/home/", {}, "200", html, "", "<h1>x</h1>"],
  ["/static/home/index.html", {}, "301", "", "./", ""],
  ["/static/a.css/", {}, "301", "", "../a.css", ""],
  ["/static/a.css", {}, "200", "text/css; charset=utf-8", "", "body{}"],
  ["/static/p.svg", {}, "200", "image/svg+xml", "", "<svg/>"],
  ["/static/q.png", {}, "200", "image/png", "", "png"],
  ["/static/README", {}, "200", plain, "", "plain words\n"],
  ["/static/blob", {}, "200", "application/octet-stream", "", "\0\x01"],
  ["/static/page", {}, "200", html, "", "<!DOCTYPE html>"],
  ["/static/sub/a%20b&c.txt", {}, "200", plain, "", "text"],
  ["/api/v1/namespaces/a/pods/b/exec", {}, "403", plain, "", "Forbidden\n"],
  ["/api/v1/namespaces/a/pods/b/%65xec", {}, "403", plain, "", "Forbidden\n"],
  ["/static/none", {}, "404", plain, "", "404 page not found\n"],
  ["/static/README", { range: "bytes=2-3" }, "206", plain, "", "ai"],
  [
    "/static/README",
    { range: "bytes=200-" },
    "416",
    plain,
    "",
    "invalid range: failed to overlap\n",
  ],
  ["/static/README", { "if-modified-since": "Tue, 17 Nov 2099 05:00:00 GMT" }, "304", "", "", ""],
];

describe("kubectl proxy", () => {
  let folder = "";
  let port = 0;
  const stop = new AbortController();
  let running: Promise<number> = Promise.resolve(0);
  /** A server that responds as soon as it has the first bytes of a request. */
  const server = createServer((incoming, response) => {
    incoming.once("data", (chunk: Buffer) => response.write(`got ${chunk}`));
    incoming.once("end", () => response.end(" done"));
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "proxy-"));
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, "www", name)), { recursive: true });
      await writeFile(join(folder, "www", name), content);
    }
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const started = Promise.withResolvers<number>();
    const output = { isTerminal: false, columns: 0 };
    const host: Host = {
      out: {
        ...output,
        write: (text) => started.resolve(Number(/:(\d+)\n/.exec(String(text))?.[1])),
      },
      err: { ...output, write: (text) => started.reject(new Error(String(text))) },
      stdin: Object.assign(Readable.from([]), { isTerminal: false }),
      env: { HOME: folder },
      cwd: folder,
      clock: systemClock,
      signal: stop.signal,
    };
    running = runKubectl(["proxy", "--port=0", "--www=www", `--server=${address}`], host);
    port = await started.promise;
  });
  after(async () => {
    stop.abort();
    await running;
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    request({ host: "127.0.0.1", port, path, headers, method, agent: false });

  for (const [path, headers, ...wanted] of answers) {
    test(`${path} ${JSON.stringify(headers)}`, async () => {
      const outgoing = send(path, headers).end();
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      const { "content-type": type = "", location = "" } = response.headers;
      const body = Buffer.concat(await response.toArray()).toString();
      assert.deepEqual([String(response.statusCode), type, location, body], wanted);
    });
  }

  test("forwards a request while it is being sent", async () => {
    const outgoing = send("/api/v1/upload", {}, "POST");
    outgoing.write("one");
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const [first] = (await once(response, "data")) as [Buffer];
    assert.equal(first.toString(), "got one");
    outgoing.end("two");
    const rest = Buffer.concat(await response.toArray()).toString();
    assert.equal(rest, " done");
  });
});
