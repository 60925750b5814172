import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { apiServerFlags } from "../../flags/index.ts";
import { allowsAnonymous } from "./anonymous-flag.ts";

const cases: readonly (readonly [args: readonly string[], allowed: boolean])[] = [
  [[], false],
  [["--anonymous-auth=true"], false],
  [["--authorization-mode=AlwaysAllow"], false],
  [["--authorization-mode=RBAC,AlwaysAllow"], false],
  [["--authorization-mode=Node,RBAC"], true],
  [["--authorization-mode=Node,RBAC", "--anonymous-auth=false"], false],
  [["--authorization-config=/x"], true],
];

for (const [args, allowed] of cases) {
  test(`allowsAnonymous() with ${args.join(" ") || "no flags"}: ${allowed}`, () => {
    assert.equal(allowsAnonymous(parseFlags(apiServerFlags, args).values), allowed);
  });
}

for (const mode of ["AlwaysAllow", "RBAC,AlwaysAllow"]) {
  test(`a server with --authorization-mode=${mode} refuses anonymous requests`, async () => {
    await using api = await startSecuredServer({ mode });
    const asked = { method: "GET", path: "/api/v1/secrets" } as const;
    assert.equal((await api.send(asked.method, asked.path)).status, 401);
    assert.equal((await api.as("bobtoken", asked.method, asked.path)).status, 200);
  });
}
