import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { Credentials } from "../transport/credentials.ts";
import { type ProviderConfig, providerCredentials } from "./oidc-credentials.ts";

const nowMs = Date.UTC(2026, 0, 1);

/** A token that expires after this number of seconds. */
function tokenFor(seconds: number, name = "t"): string {
  const claims = JSON.stringify({ exp: nowMs / 1000 + seconds, name });
  return `h.${Buffer.from(claims).toString("base64url")}.s`;
}

const anonymous: Credentials = {
  headers: () => ({}),
  tls: () => ({}),
  [Symbol.dispose]: () => undefined,
};

/** A provider that renews tokens, the requests it got, and its address. */
async function provider(answer: object, status = 200) {
  const requests: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    requests.push(
      `${request.method} ${request.url} ${request.headers.authorization ?? ""} ${body}`,
    );
    const discovery = { token_endpoint: `http://${request.headers.host}/token` };
    const isToken = request.url === "/token";
    response.writeHead(isToken ? status : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isToken ? answer : discovery));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function open(config: ProviderConfig, saved: ProviderConfig[] = []): Credentials {
  const saveTokens = async (renewed: ProviderConfig): Promise<void> => void saved.push(renewed);
  const options = { clock: new FakeClock(nowMs), saveTokens };
  return providerCredentials({ name: "oidc", config }, anonymous, options);
}

test("providerCredentials() uses a token until shortly before it expires", async () => {
  const config = { "idp-issuer-url": "http://127.0.0.1:1", "client-id": "me" };
  const valid = open({ ...config, "id-token": tokenFor(11) });
  assert.deepEqual(await valid.headers(), { authorization: `Bearer ${tokenFor(11)}` });
  await assert.rejects(async () => open({ ...config, "id-token": tokenFor(10) }).headers(), {
    message: "No valid id-token, and cannot refresh without refresh-token",
  });
});

test("providerCredentials() renews a token once for all waiting requests, and stores it", async () => {
  const renewed = tokenFor(3600, "new");
  await using idp = await provider({ id_token: renewed, refresh_token: "r2" });
  const config = {
    "idp-issuer-url": `${idp.url}/`,
    "client-id": "me",
    "client-secret": "s&",
    "id-token": tokenFor(-1),
    "refresh-token": "r1",
  };
  const saved: ProviderConfig[] = [];
  using credentials = open(config, saved);
  const both = await Promise.all([credentials.headers(), credentials.headers()]);
  assert.deepEqual(both, Array(2).fill({ authorization: `Bearer ${renewed}` }));
  const basic = Buffer.from("me:s%26").toString("base64");
  assert.deepEqual(idp.requests, [
    "GET /.well-known/openid-configuration  ",
    `POST /token Basic ${basic} grant_type=refresh_token&refresh_token=r1`,
  ]);
  assert.deepEqual(saved, [{ ...config, "id-token": renewed, "refresh-token": "r2" }]);
  await credentials.headers();
  assert.equal(idp.requests.length, 2);
});

for (const [name, answer, status, message] of [
  [
    "without an ID token",
    { access_token: "a" },
    200,
    /^token response did not contain an id_token/,
  ],
  ["that is a refusal", { error: "no" }, 400, /^failed to refresh token: oauth2: cannot fetch/],
] as const) {
  test(`providerCredentials() throws at a response ${name}`, async () => {
    await using idp = await provider(answer, status);
    const credentials = open({
      "idp-issuer-url": idp.url,
      "client-id": "me",
      "refresh-token": "r1",
    });
    await assert.rejects(async () => credentials.headers(), { message });
  });
}
