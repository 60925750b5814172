import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { signJwt } from "#/std/x509/jwt.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { type KubectlServer, runOurs, startKubectlServer } from "../kubectl/start-server.ts";
import { seen } from "./page-actions.ts";
import { collectProblems } from "./page-problems.ts";
import { startBrowser, untilStarted } from "./start-console.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** The end of the tokens (s since 1970). */
const expires = Math.floor(Date.parse("2100-01-01") / 1000);

/** An OpenID provider that logs everyone in as carol, and is strict about what a client sends. */
class Provider {
  readonly #server: Server;
  /** The page's origin, which may read the answers. */
  origin = "";
  /** Whether tokens answer the question of this login. */
  isHonest = true;
  #asked = new URLSearchParams();

  constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "", this.url);
      response.setHeader("access-control-allow-origin", this.origin);
      if (url.pathname === "/authorize") {
        this.#asked = url.searchParams;
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "code-4711");
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        response.writeHead(302, { location: back.href }).end();
      } else if (url.pathname === "/token") {
        void request.toArray().then(async (chunks) => {
          const form = new URLSearchParams(Buffer.concat(chunks as Buffer[]).toString());
          response.end(JSON.stringify(await this.#tokens(form)));
        });
      } else response.end(JSON.stringify(this.#describe(url.pathname)));
    });
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #describe(path: string): object {
    const { d: _, ...key } = privateKey.export({ format: "jwk" });
    if (path === "/keys") return { keys: [{ ...key, kid: "one", use: "sig" }] };
    return {
      ...{ issuer: this.url, jwks_uri: `${this.url}/keys` },
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
    };
  }

  async #tokens(form: URLSearchParams): Promise<object> {
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const isValid =
      form.get("code") === "code-4711" &&
      form.get("client_id") === "console" &&
      this.#asked.get("code_challenge_method") === "S256" &&
      this.#asked.get("code_challenge") === challenge;
    if (!isValid) return { error: "invalid_grant" };
    const nonce = this.isHonest ? this.#asked.get("nonce") : "of another login";
    const claims = { iss: this.url, aud: "console", sub: "carol", exp: expires, nonce };
    return { id_token: await signJwt(privateKey, "one", claims), token_type: "Bearer" };
  }
}

describe("the console's login at an OpenID provider", () => {
  let provider: Provider;
  let server: KubectlServer;
  let browser: Browser;
  const stack = new AsyncDisposableStack();
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), "console-oidc-"));
    stack.defer(() => rm(folder, { recursive: true }));
    const authority = await TestAuthority.create(folder);
    const { certFile, keyFile } = await authority.issue("provider");
    const listening = createServer({
      ...{ cert: await readFile(certFile), key: await readFile(keyFile) },
    });
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    stack.defer(() => void listening.close().closeAllConnections());
    provider = new Provider(listening);
    const flags = [
      ...[`--oidc-issuer-url=${provider.url}`, `--oidc-ca-file=${authority.caFile}`],
      ...["--oidc-client-id=console", "--oidc-username-prefix=-", "--oidc-signing-algs=ES256"],
      "--console-oidc-client-id=console",
    ];
    server = stack.use(
      await startKubectlServer((given, root) => runOurs([...given, ...flags], root)),
    );
    provider.origin = `https://127.0.0.1:${server.port}`;
    browser = stack.adopt(await startBrowser(), (one) => one.close());
  });
  after(() => stack.disposeAsync());

  async function openPage() {
    const window = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
    const page = await window.newPage();
    await page.goto(`https://127.0.0.1:${server.port}/console/#/kinds`);
    await untilStarted(page);
    return page;
  }

  test("a user logs in, comes back to the same page, and no token or code is kept", async () => {
    provider.isHonest = true;
    const page = await openPage();
    // Only `k8ts console` knows a context.
    const problems = collectProblems(page, /\/console\/context$/);
    await page.click("button:has-text('Log in at 127.0.0.1')");
    await seen(page, ".topbar", "carol");
    assert.match(page.url(), /\/console\/#\/kinds/);
    assert.doesNotMatch(page.url(), /code|state/);
    const stored = await page.evaluate(
      () => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie,
    );
    assert.doesNotMatch(stored, /eyJ|code|nonce|verifier/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("an answer to another login, or to none, is refused", async () => {
    provider.isHonest = false;
    const page = await openPage();
    await page.click("button:has-text('Log in at 127.0.0.1')");
    await seen(page, "[role=alert]", "The login has failed");
    await page.goto(`https://127.0.0.1:${server.port}/console/?code=stolen&state=guessed`);
    await seen(page, "[role=alert]", "The login has failed");
    assert.doesNotMatch(page.url(), /stolen/);
    assert.equal(await page.locator(".topbar").count(), 0);
    await page.context().close();
  });
});
