import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { secrets } from "#/api/core/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { containerdProblem } from "#/testing/start-containerd.ts";
import { until } from "#/testing/until.ts";
import { AttackedNode } from "./attacked-node.ts";
import { answer, type Misbehave, redirect, silent, unfinished } from "./hostile-peer.ts";
import {
  imageOf,
  manifestType,
  type Registry,
  type RepositoryFaults,
  startRegistry,
} from "./hostile-registry.ts";

const skip = containerdProblem() ?? false;
const megabyte = 1 << 20;
/** Limit of a Pod's message (characters): far below the size of a request. */
const maxMessageChars = 20_000;

/** Sends pieces without an end, slowly: no disk is filled. */
const dripping: Misbehave = (_, response) => {
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const timer = systemClock.every(50, () => response.write("x".repeat(1024)), { keepAlive: false });
  response.on("close", () => timer.cancel());
};

/** Says that there is something, and misbehaves when it is read. */
const onGet =
  (does: Misbehave): Misbehave =>
  (request, response) =>
    (request.method === "HEAD" ? answer("", { "content-type": manifestType }) : does)(
      request,
      response,
    );

/** Asks for credentials. */
const challenge =
  (how: string) =>
  (...[request, response]: Parameters<Misbehave>): boolean => {
    if (request.headers.authorization) return false;
    answer("", { "www-authenticate": how }, 401)(request, response);
    return true;
  };

const manifest = (content: string | Buffer): Misbehave =>
  answer(content, { "content-type": manifestType });

/** Faults that end a pull with an error. */
const failing: Readonly<Record<string, { faults: RepositoryFaults; message: RegExp }>> = {
  "empty-manifest": { faults: { manifest: manifest("") }, message: /content size of zero/ },
  "wrong-layer": {
    faults: { layer: answer(Buffer.alloc(imageOf("wrong-layer").layer.size, "x")) },
    message: /unexpected commit digest|failed precondition|failed commit/,
  },
  "short-layer": { faults: { layer: answer("x") }, message: /unexpected EOF/ },
  "no-json": { faults: { manifest: manifest("<html>") }, message: /invalid character '<'/ },
  "huge-manifest": {
    faults: { manifest: manifest(Buffer.alloc(100 * megabyte, " ")) },
    message: /rejecting 104857600 byte manifest/,
  },
  "redirect-loop": {
    faults: { manifest: redirect("/v2/redirect-loop/manifests/latest") },
    message: /stopped after 10 redirects/,
  },
  "redirect-file": {
    faults: { layer: redirect("file:///etc/passwd") },
    message: /unsupported protocol scheme/,
  },
  "long-error": {
    faults: {
      layer: answer(
        JSON.stringify({ errors: [{ code: "UNKNOWN", message: "x\u001b[31m".repeat(megabyte) }] }),
        {},
        500,
      ),
    },
    message: /500 Internal Server Error/,
  },
  forbidden: { faults: { manifest: answer("{}", {}, 403) }, message: /403 Forbidden/ },
};

/** Faults that don't end. */
const hanging: Readonly<Record<string, RepositoryFaults>> = {
  "no-headers": { manifest: silent },
  "no-body": { manifest: onGet(unfinished("{")) },
  "endless-manifest": { manifest: onGet(dripping) },
  "endless-layer": { layer: dripping },
  "no-layer": { layer: silent },
};

describe("hostile registry", { skip }, () => {
  const stack = new AsyncDisposableStack();
  let node: AttackedNode;
  let registry: Registry;
  let tokens: Registry;

  before(async () => {
    tokens = stack.use(await startRegistry({ "": { any: () => true } }));
    const realm = `http://localhost:${tokens.host.split(":")[1]}/token`;
    const errors = Object.entries(failing).map(([name, { faults }]) => [name, faults]);
    registry = stack.use(
      await startRegistry({
        ...Object.fromEntries(errors),
        ...hanging,
        "no-token": { any: challenge(`Bearer realm="${realm}",service="s",scope="x"`) },
        guarded: { any: challenge('Basic realm="r"') },
      }),
    );
    node = stack.use(await AttackedNode.start({ serializeImagePulls: false, registryPullQPS: 0 }));
  });
  after(() => stack.disposeAsync());

  const pull = (name: string, repository: string, imagePullSecrets?: string) =>
    node.createPod(name, {
      containers: [
        { name: "main", image: `${registry.host}/${repository}:latest`, imagePullPolicy: "Always" },
      ],
      ...(imagePullSecrets && { imagePullSecrets: [{ name: imagePullSecrets }] }),
    });
  const tryHonest = async (): Promise<void> => {
    await pull("honest", "honest");
    await node.untilRunning("honest");
    await node.remove("honest");
  };
  const waiting = async (name: string) =>
    (await node.find(name))?.status?.containerStatuses?.[0]?.state?.waiting;

  test("an honest one's image runs", tryHonest);

  test("a pull that fails is explained, and its Pod can be deleted", async (t) => {
    for (const name of Object.keys(failing)) await pull(name, name);
    for (const [name, { message }] of Object.entries(failing)) {
      await t.test(name, async () => {
        await until("the pull has failed", async () =>
          ["ErrImagePull", "ImagePullBackOff"].includes((await waiting(name))?.reason ?? ""),
        );
        const text = (await waiting(name))?.message ?? "";
        assert.ok(text.length < maxMessageChars, `${text.length} characters`);
        assert.match(text, message);
        await node.untilEvent(name, "Failed", /^Failed to pull image /);
      });
    }
    await tryHonest();
    for (const name of Object.keys(failing)) await node.remove(name);
  });

  test("pulls that hang hold up no other Pod, and end when their Pods are deleted", async () => {
    const names = Object.keys(hanging);
    for (const name of names) await pull(name, name);
    await until("all pulls hang", () => names.every((name) => registry.open(name) > 0));
    await tryHonest();
    for (const name of names) await node.remove(name);
    await until("all pulls have ended", () => names.every((name) => registry.open(name) === 0));
  });

  test("a token endpoint that never answers holds up no other Pod", async () => {
    await pull("no-token", "no-token");
    await until("a token is asked for", () => tokens.open("") > 0);
    await tryHonest();
    await node.remove("no-token");
    await until("the pull has ended", () => tokens.open("") === 0);
  });

  test("credentials are sent to their own registry only", async () => {
    const auth = Buffer.from("me:pass").toString("base64");
    const create = (name: string, owner: string) => {
      const config = Buffer.from(JSON.stringify({ auths: { [owner]: { auth } } }));
      return node.client.create(secrets, {
        metadata: { name, namespace: "default" },
        type: "kubernetes.io/dockerconfigjson",
        data: { ".dockerconfigjson": config.toString("base64") },
      });
    };
    const sent = () => registry.requests.filter(({ authorization }) => authorization);
    await create("foreign", "registry.example.com");
    await create("own", registry.host);
    await pull("foreign", "guarded", "foreign");
    await node.untilEvent("foreign", "Failed", /401 Unauthorized|authorization failed/);
    assert.deepEqual(sent(), []);
    await pull("own", "guarded", "own");
    await node.untilRunning("own");
    assert.ok(sent().every(({ authorization }) => authorization === `Basic ${auth}`));
    assert.notEqual(sent().length, 0);
    for (const name of ["foreign", "own"]) await node.remove(name);
  });
});
