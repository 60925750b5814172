import assert from "node:assert/strict";
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { apiServerFlags } from "../../flags/index.ts";
import { TokenMetrics } from "../base/token-metrics.ts";
import { externalSignerService } from "./external-signer-service.ts";
import { openServiceAccounts } from "./open-service-accounts.ts";

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An external signer behind its socket. */
async function startSigner() {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "signer-"));
  starting.defer(() => rm(directory, { recursive: true }));
  const socket = join(directory, "signer.sock");
  const state = {
    keys: new Map<string, KeyObject>([["one", generateKey()]]),
    header: {} as object,
    hidden: "",
    maxSeconds: 7200,
  };
  const own = implement(externalSignerService, {
    async Sign({ claims }) {
      const [[kid, key]] = [...state.keys] as [[string, KeyObject]];
      const header = encode({ alg: "ES256", kid, typ: "JWT", ...state.header });
      const options = { key, dsaEncoding: "ieee-p1363" } as const;
      const signature = sign("sha256", Buffer.from(`${header}.${claims}`), options);
      return { header, signature: signature.toString("base64url") };
    },
    FetchKeys: async () => ({
      keys: [...state.keys].map(([keyId, key]) => ({
        keyId,
        key: createPublicKey(key).export({ type: "spki", format: "der" }),
        excludeFromOidcDiscovery: keyId === state.hidden,
      })),
      refreshHintSeconds: 3600,
    }),
    Metadata: async () => ({ maxTokenExpirationSeconds: state.maxSeconds }),
  });
  starting.use(await serve({ address: `unix://${socket}`, services: [own] }));
  const stack = starting.move();
  return { socket, state, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function open(socket: string, ...more: string[]) {
  const api = await startApiServer({ clock: systemClock });
  const { values } = parseFlags(apiServerFlags, [
    "--service-account-issuer=https://issuer",
    `--service-account-signing-endpoint=${socket}`,
    ...more,
  ]);
  const metrics = new TokenMetrics(new Metrics(), systemClock);
  // The keys are those of the signer: there is no file.
  const files = new DisposableStack();
  try {
    const accounts = await openServiceAccounts(values, api.registry, { metrics, files });
    return { api, accounts, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
  } catch (error) {
    await api[Symbol.asyncDispose]();
    throw error;
  }
}

type Opened = Awaited<ReturnType<typeof open>>;

async function issue({ api, accounts }: Opened): Promise<string> {
  const path = "/api/v1/namespaces/default/serviceaccounts";
  await api.call("POST", path, { metadata: { name: "sa" } });
  const { json } = await api.call("GET", `${path}/sa`);
  const serviceaccount = { name: "sa", uid: json.metadata.uid };
  const claims = {
    aud: ["https://issuer"],
    exp: Math.floor(systemClock.now() / 1000) + 600,
    sub: "system:serviceaccount:default:sa",
    "kubernetes.io": { namespace: "default", serviceaccount },
  };
  return accounts.issuer?.sign(claims) ?? "";
}

async function whose({ accounts }: Opened, token: string): Promise<string | undefined> {
  const notes = { annotations: new Map<string, string>(), warnings: new Set<string>() };
  for (const authenticator of accounts.authenticators) {
    const answer = await authenticator.authenticateToken(token, [], notes);
    if (answer) return answer.user.name;
  }
  return undefined;
}

test("ExternalSigner signs tokens, and verifies them with its keys, including new ones", async () => {
  await using signer = await startSigner();
  await using opened = await open(signer.socket);
  assert.equal(opened.accounts.issuer?.maxExpirationSeconds, 7200);
  const first = await issue(opened);
  assert.equal(await whose(opened, first), "system:serviceaccount:default:sa");
  signer.state.keys = new Map([["two", generateKey()]]);
  const second = await issue(opened);
  assert.equal(await whose(opened, second), "system:serviceaccount:default:sa");
  await assert.rejects(whose(opened, first), /invalid signature, no keys found/);
});

const refused = [
  { name: "no algorithm", header: { alg: "none" }, message: /bad signing algorithm "none"/ },
  { name: "another type", header: { typ: "JWS" }, message: /bad type/ },
  { name: "no key", header: { kid: "" }, message: /key id missing/ },
  { name: "an unknown field", header: { jku: "x" }, message: /json: unknown field "jku"/ },
];
for (const { name, header, message } of refused) {
  test(`ExternalSigner refuses a header with ${name}`, async () => {
    await using signer = await startSigner();
    await using opened = await open(signer.socket);
    signer.state.header = header;
    await assert.rejects(issue(opened), message);
  });
}

test("ExternalSigner refuses a token by a key that is not published", async () => {
  await using signer = await startSigner();
  signer.state.hidden = "one";
  await using opened = await open(signer.socket);
  await assert.rejects(issue(opened), /\(kid: one\) is excluded from OIDC discovery docs/);
});

test("--service-account-signing-endpoint excludes key files, and limits the lifetime of tokens", async () => {
  await using signer = await startSigner();
  await assert.rejects(open(signer.socket, "--service-account-key-file=x"), {
    message: /They are mutually exclusive/,
  });
  await assert.rejects(open(signer.socket, "--service-account-max-token-expiration=3h"), {
    message: /supported by service-account-signing-endpoint: 3h0m0s > 2h0m0s/,
  });
  signer.state.maxSeconds = 60;
  await assert.rejects(open(signer.socket), { message: /less than acceptable \(min 600s\)/ });
});
