import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { until } from "#/testing/until.ts";

/** Against npm's oidc-provider, with a user who logs in there as with kubectl's OIDC plugins. */

/** The used part of oidc-provider, which has no types. */
interface OidcProvider {
  readonly Provider: new (
    issuer: string,
    configuration: object,
  ) => { callback(): (request: IncomingMessage, response: ServerResponse) => void };
}
const packageName: string = "oidc-provider";

const redirect = "https://127.0.0.1:1/callback";
const client = { client_id: "kube", client_secret: randomBytes(8).toString("hex") };

interface Page {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** A minimal browser for the login. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async visit(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const method = form ? "POST" : "GET";
    const sent = request(url, { method, headers, rejectUnauthorized: false }, async (response) => {
      for (const line of response.headers["set-cookie"] ?? []) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        this.#cookies.set(name, value);
      }
      const text = Buffer.concat(await response.toArray()).toString();
      const location = new URL(response.headers.location ?? "", url).href;
      resolve({ status: response.statusCode ?? 0, location, text });
    });
    sent.on("error", reject).end(form ? new URLSearchParams(form).toString() : undefined);
    return promise;
  }

  /** Follows redirects and fills in forms until the application gets its code. */
  async login(url: string, name: string): Promise<string> {
    let page = await this.visit(url);
    for (let step = 0; step < 12; step++) {
      if (page.location.startsWith(redirect) && page.status >= 300) {
        return new URL(page.location).searchParams.get("code") ?? "";
      }
      if (page.status >= 300 && page.status < 400) {
        const next = page.location;
        page = await this.visit(next);
        if (page.status !== 200) continue;
        const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? "";
        page = await this.visit(next, { prompt, login: name, password: "x" });
        continue;
      }
      throw new Error(`${page.status}: ${page.text}`);
    }
    throw new Error("the login never ends");
  }
}

test("a user who logged in at oidc-provider has the name in its token", async () => {
  const directory = await mkdtemp(join(tmpdir(), "provider-"));
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("provider");
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  cleanup.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { Provider } = (await import(packageName)) as OidcProvider;
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [redirect] }],
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "groups"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, groups: ["developers"] }),
    }),
  });
  server.on("request", provider.callback());

  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const question = new URLSearchParams({
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: redirect,
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const browser = new Browser();
  const code = await browser.login(`${issuer}/auth?${question}`, "alice");
  const tokens = await browser.visit(`${issuer}/token`, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirect,
    code_verifier: verifier,
    ...client,
  });
  const { id_token: token } = JSON.parse(tokens.text) as { id_token: string };

  await using api = await startSecuredServer({
    flags: [
      `--oidc-issuer-url=${issuer}`,
      `--oidc-ca-file=${authority.caFile}`,
      "--oidc-client-id=kube",
      "--oidc-username-prefix=-",
      "--oidc-groups-claim=groups",
    ],
  });
  const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const answer = await until("the issuer is found", async () => {
    const answered = await api.as(token, "POST", self, {});
    return answered.status !== 401 && answered;
  });
  const { username, groups } = answer.json.status.userInfo;
  assert.deepEqual([username, groups], ["alice", ["developers", "system:authenticated"]]);
  const [head, claims] = token.split(".");
  assert.equal((await api.as(`${head}.${claims}.AAAA`, "POST", self, {})).status, 401);
});
