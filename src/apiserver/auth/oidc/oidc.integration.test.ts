import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Clock } from "#/std/time/clock.ts";
import { signJwt } from "#/std/x509/jwt.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type SecuredServer, startSecuredServer } from "#/testing/start-secured-server.ts";
import { until } from "#/testing/until.ts";

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/** An OpenID Connect issuer over TLS that can change its keys. */
class Issuer {
  readonly server: Server;
  readonly caFile: string;
  keys = new Map<string, KeyObject>();
  fetches = 0;

  constructor(server: Server, caFile: string) {
    this.server = server;
    this.caFile = caFile;
    server.on("request", (request, response) => {
      const { url } = this;
      const discovery = { issuer: url, jwks_uri: `${url}/keys` };
      if (request.url === "/keys") this.fetches++;
      if (request.url === "/groups") {
        const known = request.headers.authorization === "Bearer secret";
        void this.sign(known ? { groups: ["far"] } : {}).then((token) => response.end(token));
        return;
      }
      const keys = [...this.keys].map(([kid, key]) => ({
        ...key.export({ format: "jwk" }),
        d: undefined,
        kid,
        use: "sig",
      }));
      response.end(JSON.stringify(request.url === "/keys" ? { keys } : discovery));
    });
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  rotate(kid: string): void {
    this.keys = new Map([[kid, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey]]);
  }

  sign(claims: object): Promise<string> {
    const [[kid, key]] = [...this.keys] as [[string, KeyObject]];
    const exp = Math.floor(Date.parse("2100-01-01") / 1000);
    return signJwt(key, kid, { iss: this.url, aud: "kube", exp, ...claims });
  }
}

let directory: string;
let issuer: Issuer;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "oidc-"));
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("issuer");
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = new Issuer(server, authority.caFile);
  issuer.rotate("one");
});
after(async () => {
  issuer.server.close();
  issuer.server.closeAllConnections();
  await rm(directory, { recursive: true, force: true });
});

function byFlags(...flags: string[]): Promise<SecuredServer> {
  return byFlagsAt({}, ...flags);
}

function byFlagsAt(options: { clock?: Clock }, ...flags: string[]): Promise<SecuredServer> {
  return startSecuredServer({
    ...options,
    flags: [
      `--oidc-issuer-url=${issuer.url}`,
      `--oidc-ca-file=${issuer.caFile}`,
      "--oidc-client-id=kube",
      "--oidc-signing-algs=ES256",
      ...flags,
    ],
  });
}

/** Retries until discovery has succeeded. */
function whoIs(server: SecuredServer, token: string): Promise<object> {
  return until("the issuer is found", async () => {
    const { status, json } = await server.as(token, "POST", self, {});
    return status === 201 && (json.status.userInfo as object);
  });
}

test("--oidc flags: the user name has the issuer as its prefix", async () => {
  await using server = await byFlags("--oidc-groups-claim=groups", "--oidc-groups-prefix=o:");
  const token = await issuer.sign({ sub: "alice", groups: ["a", "b"], jti: "7" });
  assert.deepEqual(await whoIs(server, token), {
    username: `${issuer.url}#alice`,
    groups: ["o:a", "o:b", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["JTI=7"] },
  });
});

test("groups that the token only refers to are fetched, and must be signed", async () => {
  await using server = await byFlags("--oidc-groups-claim=groups", "--oidc-username-prefix=-");
  const referring = (access_token: string, endpoint = `${issuer.url}/groups`) =>
    issuer.sign({
      sub: "alice",
      _claim_names: { groups: "there" },
      _claim_sources: { there: { endpoint, access_token } },
    });
  assert.deepEqual(await whoIs(server, await referring("secret")), {
    username: "alice",
    groups: ["far", "system:authenticated"],
  });
  for (const token of [
    await referring("wrong"),
    await referring("secret", `${issuer.url}/keys`),
    await referring("secret", "https://127.0.0.1:1/"),
    await issuer.sign({ sub: "alice", _claim_names: { groups: "there" } }),
    await issuer.sign({ sub: "a", _claim_names: { groups: "x" }, _claim_sources: {} }),
  ]) {
    assert.equal((await server.as(token, "POST", self, {})).status, 401);
  }
});

const refused = [
  { name: "another audience", claims: { sub: "x", aud: "other" } },
  { name: "no audience", claims: { sub: "x", aud: [] } },
  { name: "expired", claims: { sub: "x", exp: 1 } },
  { name: "not yet valid", claims: { sub: "x", nbf: 4_000_000_000 } },
  { name: "no user", claims: {} },
  { name: "a user that is no string", claims: { sub: 5 } },
  { name: "a required claim missing", claims: { sub: "x", team: undefined } },
  { name: "a required claim of another value", claims: { sub: "x", team: "b" } },
];

for (const { name, claims } of refused) {
  test(`--oidc flags: refused: ${name}`, async () => {
    await using server = await byFlags("--oidc-required-claim=team=a");
    const good = await issuer.sign({ sub: "x", team: "a" });
    await whoIs(server, good);
    const token = await issuer.sign({ team: "a", ...claims });
    assert.equal((await server.as(token, "POST", self, {})).status, 401);
  });
}

test("an issuer's new key is found when a token first names it", async () => {
  const clock = new FakeClock();
  await using server = await byFlagsAt({ clock });
  await whoIs(server, await issuer.sign({ sub: "x" }));
  const stolen = await issuer.sign({ sub: "x" });
  issuer.rotate("two");
  assert.equal((await server.as(stolen, "POST", self, {})).status, 201);
  await clock.advance(5_000);
  await whoIs(server, await issuer.sign({ sub: "y" }));
  assert.equal((await server.as(stolen, "POST", self, {})).status, 401);
});

const failedReloads = ({ metrics }: SecuredServer): number =>
  Number(
    /config_controller_automatic_reloads_total\{.*status="failure".*\} (\d+)/.exec(
      [...metrics.expose()].join(""),
    )?.[1] ?? 0,
  );

function configuration(extra: object): string {
  return JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    ...extra,
  });
}

const jwt = (certificateAuthority: string, claimMappings: object, more: object = {}) => ({
  issuer: { url: issuer.url, audiences: ["kube"], certificateAuthority },
  claimMappings,
  ...more,
});

test("--authentication-config: expressions make the user, and rules refuse", async () => {
  const ca = await readFile(issuer.caFile, "utf8");
  const file = join(directory, "config.yaml");
  const mappings = {
    username: { expression: "claims.sub + '@' + claims.tenant" },
    groups: { expression: "claims.roles.split(',')" },
    uid: { claim: "oid" },
    extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
  };
  const rules = {
    claimValidationRules: [{ expression: "claims.tenant != 'bad'", message: "no bad tenants" }],
    userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
  };
  await writeFile(
    file,
    configuration({
      jwt: [jwt(ca, mappings, rules)],
      anonymous: { enabled: true, conditions: [{ path: "/healthz" }] },
    }),
  );
  await using server = await startSecuredServer({ flags: [`--authentication-config=${file}`] });
  const claims = { sub: "alice", tenant: "t", roles: "a,b", oid: "9" };
  assert.deepEqual(await whoIs(server, await issuer.sign(claims)), {
    username: "alice@t",
    uid: "9",
    groups: ["a", "b", "system:authenticated"],
    extra: { "example.com/tenant": ["t"] },
  });
  for (const wrong of [{ tenant: "bad" }, { sub: "system:admin" }, { roles: 5 }]) {
    const token = await issuer.sign({ ...claims, ...wrong });
    assert.equal((await server.as(token, "POST", self, {})).status, 401);
  }
  assert.equal((await server.send("GET", "/healthz")).status, 404);
  assert.equal((await server.send("GET", "/api")).status, 401);

  await writeFile(
    file,
    configuration({ jwt: [jwt(ca, { username: { claim: "sub", prefix: "n:" } })] }),
  );
  const userName = async (): Promise<string> =>
    ((await whoIs(server, await issuer.sign(claims))) as { username: string }).username;
  await until("the new mapping", async () => (await userName()) === "n:alice");
  await writeFile(file, "{");
  await until("the file is refused", () => failedReloads(server) > 0);
  assert.equal(await userName(), "n:alice");
});
