import assert from "node:assert/strict";
import { test } from "node:test";
import { dnsFlags } from "#/dns/flags.ts";
import { gatewayFlags } from "#/gateway/flags.ts";
import { localStorageFlags } from "#/local-storage/base/flags.ts";
import { networkPolicyFlags } from "#/policy/flags.ts";
import { proxyFlags } from "#/proxy/config/flags.ts";
import { registryFlags } from "#/registry/flags.ts";
import type { FlagSet } from "#/std/flags/flags.ts";

const components: readonly FlagSet[] = [
  dnsFlags,
  gatewayFlags,
  localStorageFlags,
  networkPolicyFlags,
  proxyFlags,
  registryFlags,
];

test("components of a node listen on ports of their own", () => {
  const ports = components.flatMap((flags) => [...new Set(Object.entries(flags).flatMap(portOf))]);
  assert.ok(ports.includes("10249") && ports.includes("10263"), ports.join());
  assert.deepEqual(ports.toSorted(), [...new Set(ports)].toSorted());
});

/** The port of a flag that says where to listen. */
function portOf([name, flag]: [string, FlagSet[string]]): string[] {
  const value = "default" in flag ? String(flag.default) : "";
  const [, port] = /^(?:127\.0\.0\.1:)?(\d{4,5})$/.exec(value) ?? [];
  return port !== undefined && /port$|address$/.test(name) ? [port] : [];
}
