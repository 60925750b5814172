import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Event } from "#/api/audit/v1.ts";
import type { Credential } from "../parity/case.ts";
import { startOwn, type Target } from "../parity/reference.ts";
import { certify, SurroundingsBuilder } from "../parity/surroundings.ts";

/**
 * Attempts that a server refuses: each with the right answer, each in the audit log, and without their secrets there.
 */

const maps = "/api/v1/namespaces/default/configmaps";
const secretTokens = ["stolen-token-1", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl"];

interface Attempt {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  readonly as?: string;
  readonly status: number;
  readonly message: string;
  /** Message in the audit log; default the message of the answer. */
  readonly recorded?: string;
}

const webhookFailure = (name: string, why: string): string =>
  `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: ${why}`;
const unauthorized = "Authentication failed, attempted: bearer";

const attempts: readonly Attempt[] = [
  {
    name: "a token that isn't one",
    path: maps,
    as: "stolen token",
    status: 401,
    message: "Unauthorized",
    recorded: unauthorized,
  },
  {
    name: "a token without a signature",
    path: maps,
    as: "unsigned token",
    status: 401,
    message: "Unauthorized",
    recorded: unauthorized,
  },
  {
    name: "an expired certificate",
    path: maps,
    as: "expired certificate",
    status: 401,
    message: "Unauthorized",
    recorded: "Authentication failed, attempted: x509",
  },
  {
    name: "headers of a front proxy",
    path: maps,
    as: "forged headers",
    status: 403,
    message:
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
  },
  {
    name: "a role that grants everything",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    body: {
      metadata: { name: "all" },
      rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    },
    as: "bob",
    status: 403,
    message:
      'clusterroles.rbac.authorization.k8s.io is forbidden: User "bob" cannot create resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
  },
  {
    name: "another user's name",
    path: maps,
    as: "impersonator",
    status: 403,
    message:
      'configmaps is forbidden: User "bob" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"',
  },
  {
    name: "a webhook that hangs",
    path: maps,
    body: { metadata: { name: "hangs" } },
    status: 500,
    message: webhookFailure(
      "hangs",
      'Post "https://127.0.0.1:{port}/?timeout=1s": context deadline exceeded',
    ),
  },
  {
    name: "a webhook that answers garbage",
    path: maps,
    body: { metadata: { name: "garbage" } },
    status: 500,
    message: webhookFailure(
      "garbage",
      // Text that is no JSON is parsed as YAML: a string.
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ),
  },
  {
    name: "a webhook that points at the server itself",
    path: maps,
    body: { metadata: { name: "loopback" } },
    status: 500,
    message: webhookFailure(
      "loopback",
      'Post "https://127.0.0.1:{port}/?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  },
  {
    name: "a webhook without a server",
    path: maps,
    body: { metadata: { name: "nobody" } },
    status: 500,
    message: webhookFailure(
      "nobody",
      'Post "https://127.0.0.1:{port}/?timeout=30s": dial tcp 127.0.0.1:{port}: connect: connection refused',
    ),
  },
];

const concealed = (text: string): string =>
  text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:{port}");

describe("attacks are refused, and recorded", () => {
  let builder: SurroundingsBuilder;
  let target: Target;
  let silent: Server;
  let logFile: string;
  let credentials: Readonly<Record<string, Credential>>;

  before(async () => {
    builder = await SurroundingsBuilder.open();
    logFile = join(builder.directory, "audit.log");
    const policy = await builder.file("policy.yaml", {
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["RequestReceived"],
      rules: [{ level: "RequestResponse" }],
    });
    target = await startOwn([
      `--client-ca-file=${builder.authority.file}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${logFile}`,
      "--audit-log-mode=blocking-strict",
    ]);
    credentials = makeCredentials(builder);
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await registerWebhooks();
  });
  after(async () => {
    silent.close();
    await target[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  for (const attempt of attempts) {
    test(attempt.name, async () => {
      const { status, message, auditId } = await attack(attempt);
      assert.deepEqual({ status, message }, { status: attempt.status, message: attempt.message });
      const found = (await events()).filter((event) => event.auditID === auditId);
      const last = found.at(-1)?.responseStatus;
      assert.equal(last?.code, attempt.status);
      assert.equal(concealed(last?.message ?? ""), attempt.recorded ?? attempt.message);
    });
  }

  test("no attack was allowed, and no token is in the log", async () => {
    const { text } = await target.send({ method: "GET", path: maps, headers: {} });
    assert.deepEqual((JSON.parse(text) as { items: unknown[] }).items, []);
    const log = await readFile(logFile, "utf8");
    for (const token of secretTokens) assert.equal(log.includes(token), false);
  });

  async function attack({ path, body, as }: Attempt) {
    const credential = as === undefined ? undefined : credentials[as];
    const answer = await target.send({
      method: body ? "POST" : "GET",
      path,
      headers: { "content-type": "application/json", ...credential?.headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(credential ? { credential } : {}),
    });
    const { message } = JSON.parse(answer.text) as { message: string };
    return {
      status: answer.status,
      message: concealed(message),
      auditId: answer.headers["audit-id"],
    };
  }

  async function events(): Promise<Event[]> {
    const lines = (await readFile(logFile, "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Event);
  }

  async function registerWebhooks(): Promise<void> {
    const garbage = await builder.serve((_, response) => response.end("<html>"));
    const { port } = silent.address() as { port: number };
    const urls = {
      hangs: `https://127.0.0.1:${port}/`,
      garbage: `${garbage}/`,
      loopback: `${target.url}/`,
      nobody: "https://127.0.0.1:1/",
    };
    const webhooks = Object.entries(urls).map(([name, url]) => ({
      name: `${name}.example.com`,
      clientConfig: { url, ...(name === "garbage" ? { caBundle: caBundle() } : {}) },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      // Only one of the requests has to exceed the limit.
      timeoutSeconds: name === "hangs" ? 1 : 30,
      matchConditions: [{ name: "own", expression: `object.metadata.name == '${name}'` }],
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
      ],
    }));
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const body = JSON.stringify({ metadata: { name: "w" }, webhooks });
    const headers = { "content-type": "application/json" };
    const { status, text } = await target.send({ method: "POST", path, headers, body });
    assert.equal(status, 201, text);
  }

  function caBundle(): string {
    return Buffer.from(builder.authority.certificate).toString("base64");
  }
});

function makeCredentials(builder: SurroundingsBuilder): Readonly<Record<string, Credential>> {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const [stolen = "", unsigned = ""] = secretTokens;
  const subject = { commonName: "admin", organizations: ["system:masters"] };
  return {
    "stolen token": bearer(stolen),
    "unsigned token": bearer(unsigned),
    "expired certificate": certify(builder.authority, {
      subject,
      usage: "client auth",
      expired: true,
    }),
    "forged headers": {
      headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" },
    },
    bob: bearer("bobtoken"),
    impersonator: {
      headers: { authorization: "Bearer bobtoken", "impersonate-user": "admin" },
    },
  };
}
