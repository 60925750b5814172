import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { connect, createServer, type SecureContext } from "node:tls";
import { systemClock } from "#/std/time/clock.ts";
import { isUsableAuthority, LocalAuthority, makeAuthority } from "./local-authority.ts";

const now = systemClock.now();
const files = makeAuthority("k8s.localhost", now);

/** Why a client that trusts the authority does not accept a certificate for a name; "" if it does. */
async function verify(context: SecureContext, name: string): Promise<string> {
  const server = createServer({ SNICallback: (_host, done) => done(null, context) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: "127.0.0.1", servername: name, ca: files.certificate });
  try {
    await once(client, "secureConnect");
    return "";
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.destroy();
    server.close();
  }
}

test("LocalAuthority certifies names below its domain alone", async () => {
  const authority = new LocalAuthority(files, "k8s.localhost", systemClock);
  const context = authority.contextFor("web.default.k8s.localhost");
  assert.ok(context);
  assert.equal(await verify(context, "web.default.k8s.localhost"), "");
  assert.equal(authority.contextFor("web.default.k8s.localhost"), context);
  for (const host of ["example.com", "k8s.localhost", "evilk8s.localhost", "a b.k8s.localhost"]) {
    assert.equal(authority.contextFor(host), undefined);
  }
});

test("a certificate that the authority's key made for another domain is not accepted", async () => {
  const thief = new LocalAuthority(files, "example.com", systemClock);
  const context = thief.contextFor("www.example.com");
  assert.ok(context);
  assert.match(await verify(context, "www.example.com"), /permitted subtree violation/);
});

test("isUsableAuthority() refuses what is no authority, or ends soon", () => {
  assert.equal(isUsableAuthority(files.certificate, now), true);
  assert.equal(isUsableAuthority(files.certificate, now + 9 * 365 * 24 * 3600 * 1000), false);
  assert.equal(isUsableAuthority("nonsense", now), false);
});
