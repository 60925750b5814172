import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { containerdProblem, startContainerd } from "#/testing/start-containerd.ts";
import { until } from "#/testing/until.ts";
import { ContentStore } from "./containerd/content-store.ts";
import { registryFlags } from "./flags.ts";
import { serveRegistry } from "./serve-registry.ts";

const options = { skip: containerdProblem() };
const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly code: string | undefined;
}

type Send = (
  method: string,
  path: string,
  body?: Buffer,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

function sender(port: number): Send {
  return (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const length = body ? { "content-length": body.length } : {};
      const sent = request({
        port,
        host: "127.0.0.1",
        method,
        path,
        headers: { host: "localhost", ...length, ...headers },
      });
      sent.on("error", reject);
      sent.on("response", async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks);
        const code = /^\{"errors":\[\{"code":"(\w+)"/.exec(text.toString("latin1"))?.[1];
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, code });
      });
      sent.end(body);
    });
}

const layer = Buffer.from("a layer that is not one");
const config = Buffer.from("{}");
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const manifestOf = (more: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: {
        mediaType: "application/vnd.example",
        digest: digestOf(config),
        size: config.length,
      },
      layers: [
        { mediaType: "application/vnd.example", digest: digestOf(layer), size: layer.length },
      ],
      ...more,
    }),
  );

test("serveRegistry() in front of containerd", options, async (t) => {
  await using containerd = await startContainerd();
  const port = await freePort();
  const flags = parseFlags(registryFlags, [
    ...[`--port=${port}`, `--containerd-address=${containerd.endpoint}`, "--status-bind-address="],
  ]).values;
  const stop = new AbortController();
  const serving = serveRegistry(
    { flags, clock: systemClock, log: logger("registry-test") },
    stop.signal,
  );
  serving.catch(() => undefined);
  const send = sender(port);
  await until(
    "it serves",
    async () => (await send("GET", "/v2/").catch(() => undefined))?.status === 200,
  );
  using store = new ContentStore({
    ...{ address: containerd.endpoint, namespace: "k8s.io", clock: systemClock },
  });
  const push = async (repository: string, bytes: Buffer): Promise<Reply> => {
    const { headers } = await send("POST", `/v2/${repository}/blobs/uploads/`);
    return await send("PUT", `${headers["location"]}?digest=${digestOf(bytes)}`, bytes);
  };

  await t.test("blobs are pushed at once, in chunks, and from another repository", async () => {
    assert.equal((await push("a/one", config)).status, 201);
    const { headers } = await send("POST", "/v2/a/one/blobs/uploads/");
    const place = String(headers["location"]);
    const first = await send("PATCH", place, layer.subarray(0, 5), { "content-range": "0-4" });
    assert.deepEqual([first.status, first.headers["range"]], [202, "0-4"]);
    const wrong = await send("PATCH", place, layer.subarray(9), { "content-range": "9-22" });
    assert.deepEqual([wrong.status, wrong.headers["range"]], [416, "0-4"]);
    assert.equal((await send("GET", place)).headers["range"], "0-4");
    assert.equal((await send("PATCH", place, layer.subarray(5))).status, 202);
    assert.equal((await send("PUT", `${place}?digest=${digestOf(layer)}`)).status, 201);
    const whole = await send("GET", `/v2/a/one/blobs/${digestOf(layer)}`);
    assert.deepEqual([whole.status, whole.body], [200, layer]);
    const part = await send("GET", `/v2/a/one/blobs/${digestOf(layer)}`, undefined, {
      range: "bytes=2-6",
    });
    assert.deepEqual([part.status, part.body.toString()], [206, "layer"]);
    const mount = `mount=${digestOf(layer)}&from=a/one`;
    assert.equal((await send("POST", `/v2/b/two/blobs/uploads/?${mount}`)).status, 201);
    assert.equal((await send("HEAD", `/v2/b/two/blobs/${digestOf(layer)}`)).status, 200);
    assert.equal((await send("HEAD", `/v2/c/three/blobs/${digestOf(layer)}`)).status, 404);
  });

  await t.test("content with another digest is refused, and nothing is left of it", async () => {
    const { headers } = await send("POST", "/v2/a/one/blobs/uploads/");
    const lie = await send("PUT", `${headers["location"]}?digest=${digestOf(layer)}`, config);
    assert.deepEqual([lie.status, lie.code], [400, "DIGEST_INVALID"]);
    const other = digestOf(Buffer.from("other"));
    const next = await send("POST", "/v2/a/one/blobs/uploads/");
    const false_ = await send("PUT", `${next.headers["location"]}?digest=${other}`, layer);
    assert.deepEqual([false_.status, false_.code], [400, "DIGEST_INVALID"]);
    assert.equal((await send("GET", String(next.headers["location"]))).status, 404);
    assert.equal(await store.countWriting("k8ts-registry-"), 0);
  });

  await t.test("a piece is closed when its request is answered, time after time", async () => {
    for (let round = 0; round < 100; round++) {
      const { headers } = await send("POST", "/v2/a/one/blobs/uploads/");
      const place = String(headers["location"]);
      const chunks = [await send("PATCH", place, config), await send("PATCH", place, layer)];
      assert.deepEqual(
        chunks.map(({ status }) => status),
        [202, 202],
      );
      const lie = await send("PUT", `${place}?digest=${digestOf(layer)}`);
      assert.deepEqual([lie.status, lie.code], [400, "DIGEST_INVALID"]);
    }
    assert.equal(await store.countWriting("k8ts-registry-"), 0);
  });

  await t.test("a manifest needs what it refers to, and is an image of the node then", async () => {
    const missing = await send("PUT", "/v2/b/two/manifests/1", manifestOf(), {
      "content-type": manifestType,
    });
    assert.deepEqual([missing.status, missing.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
    const bytes = manifestOf();
    for (const tag of ["1", "2", "latest"]) {
      const put = await send("PUT", `/v2/a/one/manifests/${tag}`, bytes, {
        "content-type": manifestType,
      });
      assert.deepEqual([put.status, put.headers["docker-content-digest"]], [201, digestOf(bytes)]);
    }
    const image = await store.image(`localhost:${port}/a/one:latest`);
    assert.equal(image?.target?.digest, digestOf(bytes));
    for (const reference of ["latest", digestOf(bytes)]) {
      const got = await send("GET", `/v2/a/one/manifests/${reference}`);
      assert.deepEqual([got.body, got.headers["content-type"]], [bytes, manifestType]);
    }
    const page = await send("GET", "/v2/a/one/tags/list?n=2");
    assert.deepEqual(JSON.parse(page.body.toString()).tags, ["1", "2"]);
    assert.match(String(page.headers["link"]), /n=2&last=2>; rel="next"$/);
    assert.deepEqual(JSON.parse((await send("GET", "/v2/_catalog")).body.toString()), {
      repositories: ["a/one"],
    });
  });

  await t.test("manifests about another one are its referrers", async () => {
    const subject = digestOf(manifestOf());
    const about = manifestOf({
      artifactType: "application/vnd.sig",
      subject: { digest: subject, size: 1 },
    });
    const put = await send("PUT", `/v2/a/one/manifests/${digestOf(about)}`, about, {
      "content-type": manifestType,
    });
    assert.equal(put.headers["oci-subject"], subject);
    const list = async (query: string) => {
      const { body } = await send("GET", `/v2/a/one/referrers/${subject}${query}`);
      return JSON.parse(body.toString()).manifests.map(({ digest }: { digest: string }) => digest);
    };
    assert.deepEqual(await list(""), [digestOf(about)]);
    assert.deepEqual(await list("?artifactType=other"), []);
  });

  await t.test("tags and manifests are deleted", async () => {
    assert.equal((await send("DELETE", "/v2/a/one/manifests/2")).status, 202);
    assert.equal((await send("GET", "/v2/a/one/manifests/2")).code, "MANIFEST_UNKNOWN");
    const digest = digestOf(manifestOf());
    assert.equal((await send("DELETE", `/v2/a/one/manifests/${digest}`)).status, 202);
    assert.equal((await send("HEAD", "/v2/a/one/manifests/latest")).status, 404);
    assert.equal((await send("HEAD", `/v2/a/one/manifests/${digest}`)).status, 404);
  });

  await t.test("images that were not pushed here, and pages of browsers, get nothing", async () => {
    assert.equal((await send("GET", "/v2/pause/manifests/latest")).status, 404);
    const page = await send("GET", "/v2/", undefined, { origin: "http://evil.example" });
    assert.deepEqual([page.status, page.code], [403, "DENIED"]);
    assert.equal((await send("GET", "/v2/", undefined, { host: "evil.example" })).status, 403);
  });

  for (const [method, path, status, code] of [
    ["GET", "/v2/A/tags/list", 400, "NAME_INVALID"],
    ["GET", "/v2/none/tags/list", 404, "NAME_UNKNOWN"],
    ["GET", "/v2/a/one/blobs/sha256:12", 400, "DIGEST_INVALID"],
    ["GET", `/v2/a/one/blobs/uploads/${"0".repeat(36)}`, 404, "BLOB_UPLOAD_UNKNOWN"],
    ["GET", "/v2/a/one/blobs/uploads/../../x", 404, undefined],
    ["POST", "/v2/a/one/manifests/x", 405, "UNSUPPORTED"],
    ["PUT", "/v2/a/one/manifests/x", 400, "MANIFEST_INVALID"],
    ["GET", "/v2/a/one/manifests/.x", 404, "MANIFEST_UNKNOWN"],
    ["GET", "/etc/passwd", 404, "NAME_UNKNOWN"],
    ["GET", "//", 404, "NAME_UNKNOWN"],
    ["GET", "//[", 404, "NAME_UNKNOWN"],
    ["GET", "http://other:99999/", 404, "NAME_UNKNOWN"],
  ] as const) {
    await t.test(`${method} ${path} is ${status}`, async () => {
      const reply = await send(method, path);
      assert.equal(reply.status, status);
      if (code) assert.equal(reply.code, code);
    });
  }
  stop.abort();
  await serving.catch(() => undefined);
});
