import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { nextTurn } from "#/std/time/clock.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import {
  answer,
  endless,
  type Misbehave,
  measureCpu,
  readJson,
  redirect,
  silent,
  unfinished,
} from "./hostile-peer.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const megabyte = 1 << 20;
/** Limit of the CPU for one request (ms), of all threads, on a slow machine. Quadratic work needs far more. */
const maxCpuMs = 2500;
/** Limit of the growth of resident memory by all attacks (MiB): a few copies of the largest answer. */
const maxGrownMiB = 300;

interface Attack {
  readonly name: string;
  readonly does: Misbehave;
  readonly status: number;
  readonly message: RegExp;
  readonly timeoutSeconds?: number;
}

/** Answers a review; the response gets the review's uid. */
const review =
  (response: Record<string, unknown>, whole: Record<string, unknown> = {}): Misbehave =>
  async (request, reply) => {
    const { apiVersion, kind, request: asked } = await readJson(request);
    const body = { apiVersion, kind, response: { uid: asked.uid, ...response }, ...whole };
    reply.writeHead(200, { "content-type": "application/json" });
    reply.end(JSON.stringify(body));
  };

const patch = (operations: readonly object[]): Misbehave =>
  review({
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  });

const doubling = Array.from({ length: 40 }, (_, n) => ({
  op: "copy",
  from: "/data",
  path: `/metadata/labels/l${n}`,
}));

const failed = (why: string): RegExp =>
  new RegExp(`^Internal error occurred: failed calling webhook "[a-z0-9-]+.example.com": ${why}`);

const attacks: readonly Attack[] = [
  {
    name: "an answer of 100 MB",
    does: answer(Buffer.alloc(100 * megabyte, "x")),
    status: 500,
    message: failed("failed to call webhook: unexpected error when reading response body"),
  },
  {
    name: "an endless answer",
    does: endless('{"kind": "'),
    status: 500,
    message: failed("failed to call webhook: unexpected error when reading response body"),
  },
  {
    name: "a compressed bomb",
    does: answer(gzipSync(Buffer.alloc(200 * megabyte)), { "content-encoding": "gzip" }),
    status: 500,
    message: failed("failed to call webhook: unexpected error when reading response body"),
  },
  {
    name: "no answer",
    does: silent,
    timeoutSeconds: 1,
    status: 500,
    message: failed('failed to call webhook: Post ".*": context deadline exceeded'),
  },
  {
    name: "an answer without an end",
    does: unfinished('{"kind": '),
    timeoutSeconds: 1,
    status: 500,
    message: failed('failed to call webhook: Post ".*": context deadline exceeded'),
  },
  {
    name: "headers without an end",
    does: (_, response) => {
      const line = (): void => {
        if (!response.socket?.write(`x-a: ${"y".repeat(100)}\r\n`)) return;
        void nextTurn().then(line);
      };
      response.socket?.write("HTTP/1.1 200 OK\r\n");
      line();
    },
    timeoutSeconds: 2,
    status: 500,
    message: failed("failed to call webhook: Post"),
  },
  {
    name: "informational answers without an end",
    does: (_, response) => {
      const line = (): void => {
        if (response.socket?.destroyed !== false) return;
        response.socket.write("HTTP/1.1 103 Early Hints\r\n\r\n");
        void nextTurn().then(line);
      };
      line();
    },
    timeoutSeconds: 1,
    status: 500,
    message: failed('failed to call webhook: Post ".*": context deadline exceeded'),
  },
  {
    name: "YAML of 7 MB",
    does: answer("- - - ? a\n".repeat(700_000)),
    status: 500,
    message: failed(
      "failed to call webhook: couldn't get version/kind; json parse error: invalid character",
    ),
  },
  {
    name: "YAML with aliases that multiply",
    does: answer(
      `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, n) => {
        const [own, before] = [String.fromCharCode(98 + n), String.fromCharCode(97 + n)];
        return `${own}: &${own} [${Array(9).fill(`*${before}`)}]`;
      }).join("\n")}\n`,
    ),
    status: 500,
    message: failed("failed to call webhook"),
  },
  {
    name: "an error with YAML of 7 MB",
    does: answer("- - - ? a\n".repeat(700_000), {}, 400),
    status: 500,
    message: failed("failed to call webhook: "),
  },
  {
    name: "JSON of a million levels",
    does: answer(`{"response": ${"[".repeat(megabyte)}`),
    status: 500,
    message: failed("failed to call webhook"),
  },
  {
    name: "a patch of 100,000 operations",
    does: patch(Array.from({ length: 100_000 }, () => ({ op: "add", path: "/data/a", value: "" }))),
    status: 500,
    message: /allowed maximum operations in a JSON patch is 10000, got 100000|undecodable patch/,
  },
  {
    name: "a patch that copies itself",
    does: patch([
      { op: "add", path: "/data/a", value: "x".repeat(100_000) },
      { op: "add", path: "/metadata/labels", value: {} },
      ...doubling,
    ]),
    status: 500,
    message: /the accumulated size increase of copy is \d+, exceeding the limit 3145728/,
  },
  {
    name: "a patch that doubles",
    does: patch(
      Array.from({ length: 40 }, (_, n) => ({
        op: "copy",
        from: "/data",
        path: `/data/${n}`,
      })),
    ),
    status: 500,
    message: /exceeding the limit 3145728|exceeded max depth/,
  },
  {
    name: "a patch whose value is too deep",
    does: (_, reply) => {
      const value = "[".repeat(20_000) + "]".repeat(20_000);
      const text = `[{"op":"add","path":"/data/a","value":${value}}]`;
      void review({
        allowed: true,
        patchType: "JSONPatch",
        patch: Buffer.from(text).toString("base64"),
      })(_, reply);
    },
    status: 500,
    message: /exceeded max depth/,
  },
  {
    name: "a patch that makes a large object",
    does: patch([{ op: "add", path: "/data/a", value: "x".repeat(5 * megabyte) }]),
    status: 422,
    message: /Too long: may not be more than 1048576 bytes/,
  },
  {
    name: "another request's uid",
    does: review({ uid: "11111111-1111-1111-1111-111111111111", allowed: true }),
    status: 500,
    message: failed("received invalid webhook response: expected response.uid="),
  },
  {
    name: "another kind",
    does: review({ allowed: true }, { kind: "Status", apiVersion: "v1", status: "Success" }),
    status: 500,
    message: failed("failed to call webhook: converting \\(v1.Status\\)"),
  },
  {
    name: "a redirect to itself",
    does: redirect("/again"),
    status: 500,
    message: failed('failed to call webhook: Post ".*": stopped after 10 redirects'),
  },
  {
    name: "a redirect to a file",
    does: redirect("file:///etc/passwd"),
    status: 500,
    message: failed("failed to call webhook: Post"),
  },
  {
    name: "a retry after a century",
    does: answer("{}", { "retry-after": "99999999999999" }, 503),
    timeoutSeconds: 1,
    status: 500,
    message: failed("failed to call webhook: "),
  },
  {
    name: "a refusal with an impossible code",
    does: review({ allowed: false, status: { code: 1_000_000, message: "no" } }),
    status: 500,
    message: /^Internal Server Error/,
  },
  {
    name: "a refusal whose code is text",
    does: review({ allowed: false, status: { code: "500", message: "no" } }),
    status: 500,
    message: failed("failed to call webhook"),
  },
];

describe("hostile admission webhook", () => {
  let builder: SurroundingsBuilder;
  let server: ApiServerProcess;
  let residentMiB = 0;
  const named = new Map(attacks.map((attack, index) => [`attack-${index}`, attack]));

  before(async () => {
    builder = await SurroundingsBuilder.open();
    server = await ApiServerProcess.start();
    const url = await builder.serve((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "https://peer");
      const attack =
        named.get(pathname.slice(1)) ?? attacks.find(({ name }) => name === "a redirect to itself");
      if (pathname === "/harmless")
        void patch([{ op: "add", path: "/data/b", value: "c" }])(request, response);
      else void attack?.does(request, response);
    });
    const caBundle = Buffer.from(builder.authority.certificate).toString("base64");
    const webhooks = [...named.keys(), "harmless"].map((name) => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${url}/${name}`, caBundle },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: named.get(name)?.timeoutSeconds ?? 30,
      matchConditions: [{ name: "own", expression: `object.metadata.name == '${name}'` }],
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
      ],
    }));
    const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    const { status, text } = await server.send("POST", path, { metadata: { name: "w" }, webhooks });
    assert.equal(status, 201, text);
  });
  after(async () => {
    const grownMiB = (await server.residentMiB()) - residentMiB;
    assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
    await server[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  const create = (name: string) =>
    server.send("POST", maps, { metadata: { name }, data: { a: "b" } });

  test("a harmless one changes the object", async () => {
    residentMiB = await server.residentMiB();
    const { status, text } = await create("harmless");
    assert.equal(status, 201, text);
    assert.deepEqual(JSON.parse(text).data, { a: "b", b: "c" });
  });

  for (const [name, attack] of named) {
    test(attack.name, async () => {
      const { result, cpuMs } = await measureCpu(server, async () => {
        const attacked = create(name);
        // Others are served while the webhook is called.
        assert.equal((await server.send("GET", "/api/v1/namespaces/default")).status, 200);
        return attacked;
      });
      const isJson = result.text.startsWith("{");
      const message = isJson
        ? (JSON.parse(result.text) as { message: string }).message
        : result.text;
      assert.equal(result.status, attack.status, result.text.slice(0, 500));
      assert.match(message.slice(0, 2000), attack.message);
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
      assert.equal((await server.send("GET", `${maps}/${name}`)).status, 404);
    });
  }
});
