import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { signJwt } from "#/std/x509/jwt.ts";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import { answer, endless, type Misbehave, measureCpu, redirect, silent } from "./hostile-peer.ts";

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const expiry = Math.floor(Date.parse("2100-01-01") / 1000);
/** Limit of the CPU for one request (ms), of all threads, on a slow machine. */
const maxCpuMs = 2500;

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const webKey = (kid: string) => ({
  ...key.export({ format: "jwk" }),
  d: undefined,
  kid,
  use: "sig",
});
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const json = (value: unknown): Misbehave => answer(JSON.stringify(value));

/** What an issuer sends instead of its discovery document, which names the issuer and its keys. */
const wrongDiscoveries: Readonly<Record<string, (issuer: string) => Misbehave>> = {
  "an endless document": () => endless('{"issuer": "'),
  "no answer": () => silent,
  null: () => answer("null"),
  "an address that is no text": (issuer) => json({ issuer, jwks_uri: [] }),
  "a plain address": (issuer) => json({ issuer, jwks_uri: "http://127.0.0.1/" }),
  "another issuer": (issuer) => json({ issuer: "https://other", jwks_uri: `${issuer}/keys` }),
  "a redirect to this machine": (issuer) => redirect(`${issuer}/keys`, 302),
  "JSON of a million levels": () => answer("[".repeat(1_000_000)),
};

/** What an issuer sends instead of its keys. */
const wrongKeys: Readonly<Record<string, Misbehave>> = {
  "an endless list of keys": endless('{"keys": ["'),
  "no list of keys": answer("null"),
  "keys that are no list": answer('{"keys": {"length": 1}}'),
  "keys that are null": answer('{"keys": [null, 7, "a", [], {}]}'),
  "seven thousand keys": json({
    keys: Array.from({ length: 7_000 }, (_, n) => ({ ...webKey(`${n}`), use: undefined })),
  }),
  "a symmetric key": json({ keys: [{ kty: "oct", k: "c2VjcmV0", kid: "one" }] }),
};

const names = ["harmless", ...Object.keys(wrongDiscoveries), ...Object.keys(wrongKeys)];

describe("hostile OpenID Connect issuer", () => {
  let builder: SurroundingsBuilder;
  let server: ApiServerProcess;
  let url: string;
  const fetches = new Map<string, number>();
  const issuerOf = (name: string): string => `${url}/${names.indexOf(name)}`;

  before(async () => {
    builder = await SurroundingsBuilder.open();
    url = await builder.serve((request, reply) => {
      const [, index = "", page = ""] = (request.url ?? "").split("/");
      const name = names[Number(index)] ?? "";
      const issuer = issuerOf(name);
      if (page === "keys") {
        fetches.set(name, (fetches.get(name) ?? 0) + 1);
        (wrongKeys[name] ?? json({ keys: [webKey("one")] }))(request, reply);
      } else {
        const honest = () => json({ issuer, jwks_uri: `${issuer}/keys` });
        (wrongDiscoveries[name] ?? honest)(issuer)(request, reply);
      }
    });
    const issuers = names.map((name) => ({
      issuer: {
        url: issuerOf(name),
        certificateAuthority: builder.authority.certificate,
        audiences: ["kube"],
      },
      claimMappings: { username: { claim: "sub", prefix: "" } },
    }));
    const config = await builder.file("authentication.json", {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: issuers,
    });
    server = await ApiServerProcess.start([`--authentication-config=${config}`]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  const sign = (name: string, kid: string): Promise<string> =>
    signJwt(key, kid, { iss: issuerOf(name), aud: "kube", sub: "alice", exp: expiry });
  const statusOf = async (token: string): Promise<number> =>
    (await server.sendAs(token, "POST", self, {})).status;
  const untilAccepted = async (): Promise<void> => {
    const token = await sign("harmless", "one");
    await until("the issuer is found", async () => (await statusOf(token)) === 201);
  };

  test("a harmless one's tokens are accepted", untilAccepted);

  for (const name of Object.keys(wrongDiscoveries)) {
    test(`${name}: its tokens are refused, others are served`, async () => {
      await untilAccepted();
      assert.equal(await statusOf(await sign(name, "one")), 401);
      assert.equal(fetches.get(name), undefined);
      assert.equal((await server.send("GET", "/api/v1/namespaces")).status, 200);
    });
  }

  for (const name of Object.keys(wrongKeys)) {
    test(`${name}: its tokens are refused, others are served`, async () => {
      const token = await sign(name, "two");
      await until("keys are fetched", async () => {
        assert.equal(await statusOf(token), 401);
        return fetches.has(name);
      });
      const { result, cpuMs } = await measureCpu(server, () => statusOf(token));
      assert.equal(result, 401);
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
      assert.equal((await server.send("GET", "/api/v1/namespaces")).status, 200);
    });
  }

  test("a flood of unknown key ids fetches the keys once", async () => {
    await untilAccepted();
    const before = fetches.get("harmless") ?? 0;
    const kids = Array.from({ length: 100 }, (_, n) => `other-${n}`);
    const tokens = await Promise.all(kids.map((kid) => sign("harmless", kid)));
    const statuses = await Promise.all(tokens.map(statusOf));
    assert.deepEqual([...new Set(statuses)], [401]);
    assert.ok((fetches.get("harmless") ?? 0) <= before + 1);
    await untilAccepted();
  });

  test("a token names no other algorithm", async () => {
    await untilAccepted();
    const claims = base64({ iss: issuerOf("harmless"), aud: "kube", sub: "alice", exp: expiry });
    const publicKey = JSON.stringify(webKey("one"));
    for (const alg of ["none", "HS256", "RS256", "es256", "ES384"]) {
      const text = `${base64({ alg, kid: "one" })}.${claims}`;
      const signature = createHmac("sha256", publicKey).update(text).digest("base64url");
      for (const end of [signature, ""]) assert.equal(await statusOf(`${text}.${end}`), 401, alg);
    }
  });
});
