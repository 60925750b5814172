import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { s3Target } from "#/cluster/backup/s3-target.ts";
import { type Exchange, readRecord, runScenario } from "./scenario.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-s3-"));
after(() => rmSync(folder, { recursive: true }));
const credentials = join(folder, "credentials");
writeFileSync(
  credentials,
  "[other]\naws_access_key_id = no\n[default]\naws_access_key_id = test\naws_secret_access_key = secret\n",
);

test("snapshots are kept in a bucket with the requests that were recorded with moto", async () => {
  const { lines, exchanges } = readRecord();
  const left = [...exchanges];
  const sent: Exchange["request"][] = [];
  await using server = await serve(async (request) => {
    sent.push(request);
    return left.shift()?.answer ?? { status: 500, etag: "", body: "" };
  });
  const printed = await runScenario(server.url, credentials);
  assert.deepEqual(
    sent,
    exchanges.map(({ request }) => request),
  );
  assert.deepEqual(printed, lines);
});

test("a server that fails for a moment is asked again, one that refuses is not", async () => {
  const answers = [500, 503, 200, 403].map((status) => ({ status, etag: "", body: "" }));
  await using server = await serve(
    async () => answers.shift() ?? { status: 418, etag: "", body: "" },
  );
  const target = await s3Target(`s3://a?endpoint=${server.url}`, credentials);
  assert.deepEqual(await target.list(), []);
  await assert.rejects(target.list(), { message: 'S3 refused the bucket "a": status 403' });
  assert.deepEqual(answers, []);
});

for (const [place, problem] of [
  ["s3://", /is no place/],
  ["s3://a?regon=x", /is no place/],
  ["s3://a?endpoint=here", /is no place/],
] as const) {
  test(`the place ${place} is refused`, async () => {
    await assert.rejects(s3Target(place, credentials), { message: problem });
  });
}

test("keys that are missing are named", async () => {
  const none = join(folder, "none");
  writeFileSync(none, "[other]\naws_access_key_id = x\n");
  await assert.rejects(s3Target("s3://a", none), { message: /there are no keys for S3 in .*none/ });
  await assert.rejects(s3Target("s3://a", join(folder, "gone")), { message: /can't be read/ });
});

/** A server with given answers; an object of the record is bytes of its size. */
async function serve(answer: (request: Exchange["request"]) => Promise<Exchange["answer"]>) {
  const server = createServer(async (request, response) => {
    const hash = createHash("sha256");
    for await (const part of request as AsyncIterable<Buffer>) hash.update(part);
    const { method = "", url = "" } = request;
    const { status, etag, body } = await answer({ method, url, body: hash.digest("hex") });
    response.writeHead(status, etag === "" ? {} : { etag });
    response.end(typeof body === "number" ? Buffer.alloc(body) : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
